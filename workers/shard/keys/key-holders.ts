/**
 * Devices that have the account's sender key of a group (the library's `sender-key-memory`): JSON with an entry for each device of each member. With
 * every text to a group the library reads the record and writes it back; both are cheap here as long as nobody parses it.
 */
import { isHostedLidUser, isHostedPnUser, jidDecode } from '@whiskeysockets/baileys'
import type { KeyReader } from './key-store.ts'
import { HOSTED_DEVICE } from './signal/address/address-book.ts'

type Holders = Record<string, boolean>

const holdersIn = (stored: Uint8Array): Holders => JSON.parse(Buffer.from(stored).toString())
const bytesOf = (holders: Holders) => Buffer.from(JSON.stringify(holders))

/** A value that was not parsed returns its stored record under this symbol. */
const UNOPENED = Symbol('unopened')

/** A record is parsed on the first access, and the caller's changes stay in that copy. */
export const holdersCodec = {
  bytes: (value: Holders & { [UNOPENED]?: Uint8Array }): Uint8Array => value[UNOPENED] ?? bytesOf(value),
  from(stored: Uint8Array): Holders {
    let opened: Holders | undefined
    const open = () => {
      opened ??= holdersIn(stored)
      return opened
    }
    return new Proxy({} as Holders, {
      get(_, name) {
        if (name === UNOPENED) return opened === undefined ? stored : undefined
        // A promise that resolves with this value reads `then`, which must not parse the record.
        return name === 'then' ? undefined : Reflect.get(open(), name)
      },
      set: (_, name, value) => Reflect.set(open(), name, value),
      has: (_, name) => Reflect.has(open(), name),
      deleteProperty: (_, name) => Reflect.deleteProperty(open(), name),
      ownKeys: () => Reflect.ownKeys(open()),
      getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(open(), name),
    })
  },
}

export interface KeyHolders {
  /** Whether each of these devices has the key of the group, except those to which it cannot be sent. */
  haveAll(group: string, devices: readonly string[]): Promise<boolean>
}

/**
 * Creates the look-up. `keys`: the values on disk. The list of devices and the record are compared by identity with
 * those of the last answer.
 */
export function createKeyHolders(keys: KeyReader): KeyHolders {
  const complete = new WeakMap<readonly string[], Uint8Array>()
  return {
    async haveAll(group, devices) {
      const stored = await keys.get('sender-key-memory', group)
      if (stored === undefined) return false
      if (complete.get(devices) === stored) return true
      const holders = holdersIn(stored)
      if (!devices.every((jid) => holders[jid] || isHosted(jid))) return false
      complete.set(devices, stored)
      return true
    },
  }
}

/** Whether the library omits a device. */
const isHosted = (jid: string) => isHostedLidUser(jid) || isHostedPnUser(jid) || jidDecode(jid)?.device === HOSTED_DEVICE
