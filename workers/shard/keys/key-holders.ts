/**
 * Records which devices have the account's sender key of a group or of its status posts, as JSON. The record is read
 * with every text to the group, so an unchanged record in which no device is missing is not parsed again.
 */
import { isHostedLidUser, isHostedPnUser, jidDecode, type SignalKeyStore } from '@whiskeysockets/baileys'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import { HOSTED_DEVICE } from '../wire/jid.ts'
import type { KeyReader } from './key-store.ts'

type Holders = Record<string, boolean>

export interface KeyHolders {
  /** Returns the devices that lack the key, without those of hosted accounts: they do not get it with a message. */
  lacking(group: string, devices: readonly string[]): Promise<readonly string[]>
  add(group: string, devices: readonly string[]): Promise<void>
  replace(group: string, devices: readonly string[]): Promise<void>
  has(group: string, names: readonly string[]): Promise<boolean>
  /** Removes the devices from the record, so that the next message sends them the key again. */
  forget(group: string, names: readonly string[]): Promise<void>
}

const NOBODY: readonly string[] = []

/**
 * If no device of a list lacks the key, this is remembered for the list and the record (the same objects), so that the
 * record is not parsed again.
 */
export function createKeyHolders(stored: KeyReader, keys: Pick<SignalKeyStore, 'set'>): KeyHolders {
  const complete = new WeakMap<readonly string[], Uint8Array>()
  /** Changes of a record are made one after the other, because each change writes the whole record. */
  const { run: inTurn } = createKeyedMutex()

  async function holdersOf(group: string): Promise<Holders> {
    const record = await stored.get('sender-key-memory', group)
    return record ? holdersIn(record) : {}
  }

  async function write(group: string, holders: Holders) {
    await keys.set({ 'sender-key-memory': { [group]: holders } })
  }

  return {
    async lacking(group, devices) {
      const record = await stored.get('sender-key-memory', group)
      if (record !== undefined && complete.get(devices) === record) return NOBODY
      const holders = record ? holdersIn(record) : {}
      const lacking = devices.filter((jid) => !holders[jid] && !isHosted(jid))
      if (record !== undefined && lacking.length === 0) complete.set(devices, record)
      return lacking
    },
    async add(group, devices) {
      if (devices.length > 0) await inTurn(group, async () => write(group, { ...(await holdersOf(group)), ...given(devices) }))
    },
    replace: (group, devices) => inTurn(group, () => write(group, given(devices))),
    async has(group, names) {
      const holders = await holdersOf(group)
      return names.some((name) => name in holders)
    },
    forget: (group, names) =>
      inTurn(group, async () => {
        const holders = await holdersOf(group)
        if (!names.some((name) => name in holders)) return
        await write(group, Object.fromEntries(Object.entries(holders).filter(([name]) => !names.includes(name))))
      }),
  }
}

const holdersIn = (record: Uint8Array): Holders => JSON.parse(Buffer.from(record).toString())

const given = (devices: readonly string[]): Holders => Object.fromEntries(devices.map((jid) => [jid, true]))

/** Whether the device belongs to a hosted account. New messages do not give such devices the account's sender keys. */
export const isHosted = (jid: string) => isHostedLidUser(jid) || isHostedPnUser(jid) || jidDecode(jid)?.device === HOSTED_DEVICE
