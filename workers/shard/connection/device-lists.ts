/**
 * The devices of each person, as the network last listed them: the library asks before a send and caches the answer here, under the number or LID it
 * asked for. Our own cache, because a notice that outdates a list may use the person's other name (BAILEYS.md): both entries are dropped.
 */
import type { CacheStore } from '@whiskeysockets/baileys'
import { type Clock, MINUTE } from '../../../src/domain/clock.ts'
import { jidUser } from '../wire/jid.ts'

/** As the library keeps them. */
const MAX_AGE = 5 * MINUTE
const MAX_PEOPLE = 20_000

export interface DeviceLists {
  /** For the library's socket. */
  readonly cache: CacheStore
  /** By any jid of the person. */
  drop(jids: readonly string[]): void
}

export function createDeviceLists(clock: Clock): DeviceLists {
  const lists = new Map<string, { at: number; devices: unknown }>()
  return {
    cache: {
      get<T>(user: string) {
        const entry = lists.get(user)
        return (entry && clock.now() - entry.at < MAX_AGE ? entry.devices : undefined) as T | undefined
      },
      set(user: string, devices: unknown) {
        lists.delete(user)
        lists.set(user, { at: clock.now(), devices })
        for (const oldest of lists.keys()) {
          if (lists.size <= MAX_PEOPLE) break
          lists.delete(oldest)
        }
      },
      del: (user: string) => void lists.delete(user),
      flushAll: () => lists.clear(),
    },
    drop(jids) {
      for (const jid of jids) lists.delete(jidUser(jid))
    },
  }
}
