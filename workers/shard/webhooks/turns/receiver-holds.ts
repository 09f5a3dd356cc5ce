/**
 * Handles receivers that are down. If two different events in a row fail because of the receiver, the queue of that URL is held, so that the events
 * keep their order. Only its oldest event is attempted, on its own schedule and at least every minute; the first answer of the receiver releases the
 * queue. The holds are only in memory: after a restart, an event that was attempted and is still in the queue shows that its receiver was held.
 */
import type { Outcome } from '../../../../src/webhooks/delivery/delivery.ts'
import { PROBE_EVERY } from '../schedule.ts'

export interface Hold {
  readonly url: string
  /** Id of the oldest event in the queue for this URL; undefined until it is found. */
  head: string | undefined
  /** Time of the next attempt of the oldest event (the probe). */
  probeAt: number
  /** When the oldest event has ended, the next event for this URL is searched in slices. This is the last id that was examined. */
  seekAfter: string
}

/**
 * Whether the receiver caused the failure: no connection, a timeout, or a status code of a server that cannot accept anything now. Every other
 * failure is attributed to the event.
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

    /** Records that the receiver has answered, so it is up. Returns true if its queue was held and is released. */
    answered(url: string): boolean {
      lastFailed.delete(url)
      return held.delete(url)
    },

    /**
     * Records that an event failed because of its receiver. If another event failed directly before, returns that event: two events in a row have
     * failed.
     */
    failed(url: string, eventId: string): string | undefined {
      const before = lastFailed.get(url)
      lastFailed.set(url, eventId)
      return before === eventId ? undefined : before
    },

    /** Holds the queue of a URL; its oldest event is one of these. */
    wait(url: string, eventIds: readonly string[], nextTry: number, now: number): void {
      const hold = held.get(url) ?? { url, head: undefined, probeAt: 0, seekAfter: '' }
      held.set(url, hold)
      for (const eventId of eventIds) if (hold.head === undefined || eventId < hold.head) hold.head = eventId
      hold.probeAt = Math.min(nextTry, now + PROBE_EVERY)
    },

    /** Records that this event is in the held queue. */
    saw(hold: Hold, eventId: string): void {
      if (hold.head !== undefined && eventId < hold.head) hold.head = eventId
    },

    /** Forgets the oldest event of a held queue, because it has ended or has another URL. The next one is then searched. */
    headless(hold: Hold): void {
      hold.seekAfter = hold.head ?? ''
      hold.head = undefined
    },

    release: (url: string) => held.delete(url),

    /** Returns the hold whose probe is due; undefined if there is none. */
    due: (now: number): Hold | undefined => [...held.values()].find(({ probeAt }) => probeAt <= now),

    next: (): number => Math.min(...[...held.values()].map(({ probeAt }) => probeAt)),

    /** Removes URLs that are no longer used by any type. */
    keepOnly(urls: ReadonlySet<string>): void {
      for (const map of [held, lastFailed]) for (const url of [...map.keys()]) if (!urls.has(url)) map.delete(url)
    },
  }
}
export type ReceiverHolds = ReturnType<typeof createReceiverHolds>
