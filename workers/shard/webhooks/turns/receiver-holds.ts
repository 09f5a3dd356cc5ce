/**
 * Handles receivers that are down. If two events in a row fail because of the receiver, the queue of its URL waits;
 * only its oldest event is attempted, at least every minute. The wait ends when an attempt shows that the receiver is
 * up, or when the URL has no event left or is no longer used.
 */
import type { Outcome } from '../../../../src/webhooks/delivery/delivery.ts'
import { PROBE_EVERY } from '../schedule.ts'

export interface Hold {
  readonly url: string
  head: string | undefined
  /** Time of the monotonic clock at which the oldest event is attempted again. */
  probeAt: number
  /** Id of the last event that was examined in the search for the next event of this URL. */
  seekAfter: string
}

/**
 * Whether the receiver caused the failure: no connection, a timeout, or a status code of an overloaded server. Every
 * other failure is attributed to the event.
 */
export const isReceivers = ({ code, error }: Pick<Outcome, 'code' | 'error'>): boolean =>
  code === null ? error !== null && NO_CONNECTION.has(error) : AWAY.has(code)

const NO_CONNECTION: ReadonlySet<string> = new Set(['timeout', 'dns', 'tls', 'refused', 'connection'])
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createReceiverHolds() {
  const held = new Map<string, Hold>()
  /** Id of the last event that failed, by URL. It is removed when the receiver answers. */
  const lastFailed = new Map<string, string>()

  return {
    of: (url: string): Hold | undefined => held.get(url),
    any: () => held.size > 0,

    /** Records that the receiver has answered, so it is up. Returns true if its queue was waiting. */
    answered(url: string): boolean {
      lastFailed.delete(url)
      return held.delete(url)
    },

    /**
     * Records that an event failed. If the previous failure was that of another event, returns the id of that event,
     * because two events in a row have failed.
     */
    failed(url: string, eventId: string): string | undefined {
      const before = lastFailed.get(url)
      lastFailed.set(url, eventId)
      return before === eventId ? undefined : before
    },

    wait(url: string, eventIds: readonly string[], nextTry: number, now: number): void {
      const hold = held.get(url) ?? { url, head: undefined, probeAt: 0, seekAfter: '' }
      held.set(url, hold)
      for (const eventId of eventIds) if (hold.head === undefined || eventId < hold.head) hold.head = eventId
      hold.probeAt = Math.min(nextTry, now + PROBE_EVERY)
    },

    saw(hold: Hold, eventId: string): void {
      if (hold.head !== undefined && eventId < hold.head) hold.head = eventId
    },

    /**
     * Must be called when the oldest event has ended or has another URL. The next event of this URL is then searched
     * for.
     */
    headless(hold: Hold): void {
      hold.seekAfter = hold.head ?? ''
      hold.head = undefined
    },

    release: (url: string) => held.delete(url),

    /** Returns a receiver whose next probe is due, or undefined if there is none. */
    due(now: number): Hold | undefined {
      for (const hold of held.values()) if (hold.probeAt <= now) return hold
      return undefined
    },

    next(): number {
      let next = Number.POSITIVE_INFINITY
      for (const { probeAt } of held.values()) next = Math.min(next, probeAt)
      return next
    },

    keepOnly(urls: ReadonlySet<string>): void {
      for (const map of [held, lastFailed]) for (const url of [...map.keys()]) if (!urls.has(url)) map.delete(url)
    },
  }
}
export type ReceiverHolds = ReturnType<typeof createReceiverHolds>
