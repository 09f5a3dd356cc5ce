/**
 * Handles receivers that are down. When two different events in a row fail because of the receiver, the queue of that URL is held, so that an outage
 * keeps the order: only its oldest event is attempted, on its own schedule but at least every minute, and the first answer releases the queue. The
 * holds are only in memory: after a restart, an event that was attempted and is still in the queue shows that its receiver was held.
 */
import type { Outcome } from '../../../../src/webhooks/delivery/delivery.ts'
import { PROBE_EVERY } from '../schedule.ts'

export interface Hold {
  readonly url: string
  /** Id of the oldest event in the queue for this URL; undefined until it is found. */
  head: string | undefined
  /** Time of the next attempt of this oldest event. */
  probeAt: number
  /** Id after which the search for a new oldest event continues. */
  seekAfter: string
}

/**
 * Whether the receiver caused a failure: no connection, a timeout, or an answer of a server that cannot accept anything now. Every other failure is
 * attributed to the event.
 */
export const isReceivers = ({ code, error }: Pick<Outcome, 'code' | 'error'>): boolean =>
  code === null ? error !== null && NO_CONNECTION.has(error) : AWAY.has(code)

const NO_CONNECTION: ReadonlySet<string> = new Set(['timeout', 'dns', 'tls', 'refused', 'connection'])
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createReceiverHolds() {
  const held = new Map<string, Hold>()
  /** Id of the last failed event by URL. It is removed when the receiver answers an event. */
  const lastFailed = new Map<string, string>()

  return {
    of: (url: string): Hold | undefined => held.get(url),
    any: () => held.size > 0,

    /** Records that the receiver answered an event, so that it is up. Returns true if its queue was held and now continues. */
    answered(url: string): boolean {
      lastFailed.delete(url)
      return held.delete(url)
    },

    /**
     * Records that an event failed because of its receiver. Returns the event that failed directly before, if it was a different one: two events in a
     * row have then failed.
     */
    failed(url: string, eventId: string): string | undefined {
      const before = lastFailed.get(url)
      lastFailed.set(url, eventId)
      return before === eventId ? undefined : before
    },

    /** Holds a queue, and adds these events to it. */
    wait(url: string, eventIds: readonly string[], nextTry: number, now: number): void {
      const hold = held.get(url) ?? { url, head: undefined, probeAt: 0, seekAfter: '' }
      held.set(url, hold)
      for (const eventId of eventIds) if (hold.head === undefined || eventId < hold.head) hold.head = eventId
      hold.probeAt = Math.min(nextTry, now + PROBE_EVERY)
    },

    /** Adds one more event to a held queue. */
    saw(hold: Hold, eventId: string): void {
      if (hold.head !== undefined && eventId < hold.head) hold.head = eventId
    },

    /** Forgets the oldest event, because it has ended or has another URL. A new oldest event is then searched. */
    headless(hold: Hold): void {
      hold.seekAfter = hold.head ?? ''
      hold.head = undefined
    },

    release: (url: string) => held.delete(url),

    /** Returns the hold whose probe is due; undefined if there is none. */
    due: (now: number): Hold | undefined => [...held.values()].find(({ probeAt }) => probeAt <= now),

    next: (): number => Math.min(...[...held.values()].map(({ probeAt }) => probeAt)),

    /** Drops URLs that no type uses any longer. */
    keepOnly(urls: ReadonlySet<string>): void {
      for (const map of [held, lastFailed]) for (const url of [...map.keys()]) if (!urls.has(url)) map.delete(url)
    },
  }
}
export type ReceiverHolds = ReturnType<typeof createReceiverHolds>
