/**
 * The library's `MessageRetryManager` (Utils/message-retry-manager.js) exists only with `enableRecentMessageCache`, and carries more than
 * that cache: it recreates a session that keeps failing (at the second retry, once an hour per person), recognises by the base key that a
 * recreated session is the old one again, and asks the phone for an unreadable message after 3 s beside the line of messages, where without
 * it each one holds that line for 2 s (Socket/messages-recv.js, sendRetryRequest; our own `retry-receipt.ts`). So it is on, and bounded here.
 */
import type { WASocket } from '@whiskeysockets/baileys'
import { HOUR, MINUTE, steadyClock } from '../../../src/domain/clock.ts'

/** Messages whose retries are counted, and people whose sessions were recreated. The library keeps both without a limit. */
const MAX_COUNTERS = 1_000
const COUNTER_AGE = 15 * MINUTE
const RECREATION_AGE = 2 * HOUR

/** What the manager uses of its LRU caches. One timer per entry, which theirs have, is what this one does without. */
interface Bounded<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
  readonly size: number
}

export function bounded<V>(max: number, maxAgeMs: number, now: () => number = steadyClock.now): Bounded<V> {
  const entries = new Map<string, { value: V; at: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      return entry && now() - entry.at < maxAgeMs ? entry.value : undefined
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, { value, at: now() })
      for (const oldest of entries.keys()) {
        if (entries.size <= max) break
        entries.delete(oldest)
      }
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    get size() {
      return entries.size
    },
  }
}

/** At once after the socket was made. */
export function boundRetryManager(sock: Pick<WASocket, 'messageRetryManager'>): void {
  const manager = sock.messageRetryManager
  if (!manager) throw new Error('the library made no retry manager')
  // `getMessage` answers from a store that survives restarts; copies of 512 messages per socket, inbound ones too, add nothing.
  manager.addRecentMessage = () => {}
  Object.assign(manager, {
    // Theirs takes the room of 512 entries in advance.
    recentMessagesMap: bounded<never>(0, 0),
    retryCounters: bounded<number>(MAX_COUNTERS, COUNTER_AGE),
    sessionRecreateHistory: bounded<number>(MAX_COUNTERS, RECREATION_AGE),
    baseKeys: bounded<Uint8Array>(MAX_COUNTERS, COUNTER_AGE),
  })
}
