/**
 * People who have ever written to this account: one row per person, in the commit of their first message, with a blind address. It identifies the
 * chats that the other side opened, in which a restricted account may still write.
 */
import type { WAMessage } from '@whiskeysockets/baileys'
import { parseIdentifier, toJid } from '../../../src/domain/ids.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Context } from '../context/instance-context.ts'
import { bare, chatKind } from '../wire/jid.ts'

/**
 * Maximum number of keys in the cache of people who have written: one key for a number, one for a LID. The cache saves a read of the store for each
 * received message.
 */
const MAX_KNOWN = 5_000
const PRESENT = Uint8Array.of(1)

export interface Correspondents {
  /** Returns the operations for the commit of a received message. `onNew` is called if it is the person's first message. */
  ops(message: Pick<WAMessage, 'key'>): Promise<Op[]>
  /**
   * Whether the destination (in the form of the API) has written to the account. True for groups, channels and the
   * status, which do not have to write first.
   */
  hasWritten(phone: string): Promise<boolean>
  /** Called before another account is linked, after the session has ended. */
  forget(): Promise<void>
}

export interface CorrespondentsDeps {
  /** Returns the person's other jid (number or LID), if known. */
  otherName(jid: string): Promise<string | null>
  onNew(): void
}

export function createCorrespondents(
  { id: instance, store, sealer }: Context<'id' | 'store' | 'sealer'>,
  { otherName, onNew }: CorrespondentsDeps,
): Correspondents {
  const known = new Set<string>()
  const keyOf = (jid: string) => keys.correspondent(instance, sealer.blind(bare(jid)))

  function remember(key: string) {
    known.delete(key)
    known.add(key)
    for (const oldest of known) {
      if (known.size <= MAX_KNOWN) break
      known.delete(oldest)
    }
  }

  async function namesOf(jid: string): Promise<string[]> {
    const other = await otherName(jid)
    return other === null ? [jid] : [jid, other]
  }

  async function isWritten(key: string): Promise<boolean> {
    return known.has(key) || (await store.get(key)) !== undefined
  }

  return {
    async ops({ key: { remoteJid, remoteJidAlt, fromMe } }) {
      if (fromMe || !remoteJid || chatKind(remoteJid) !== 'user') return []
      const written = [remoteJid, ...(remoteJidAlt ? [remoteJidAlt] : [])].map(keyOf)
      if (written.every((key) => known.has(key))) return []
      const isFirst = !(await Promise.all(written.map(isWritten))).some(Boolean)
      for (const key of written) remember(key)
      // The keys are remembered before the commit: if it fails, the row stays missing until the cache no longer
      // contains the keys.
      if (isFirst) onNew()
      return written.map((key): Op => [key, PRESENT])
    },
    async hasWritten(phone) {
      const identifier = parseIdentifier(phone)
      if (identifier?.kind !== 'user') return true
      for (const name of await namesOf(toJid(identifier))) if (await isWritten(keyOf(name))) return true
      return false
    },
    async forget() {
      known.clear()
      await removeAll(store, keys.correspondents(instance))
    },
  }
}
