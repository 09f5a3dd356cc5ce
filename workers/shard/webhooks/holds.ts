/**
 * Receivers that are away. When two different events in a row fail in a way that is the receiver's, the queue of that URL is held, so that
 * an outage keeps its order: only its oldest event is tried, on its own schedule but at least every minute, and the first answer releases
 * the queue. In memory: after a restart, an event that was tried and is still in the queue implies the hold.
 */
import type { Outcome } from '../../../src/webhooks/delivery/delivery.ts'
import { PROBE_EVERY } from './schedule.ts'

export interface Hold {
  readonly url: string
  /** The oldest event in the queue for that URL; undefined until it is found. */
  head: string | undefined
  /** When the head is tried next. */
  probeAt: number
  /** While a new head is looked for: the event behind which it is. */
  seekAfter: string
}

/** No connection, too late, or the answer of a server that cannot take anything now. Every other failure is the event's. */
export const isReceivers = ({ code, error }: Pick<Outcome, 'code' | 'error'>): boolean =>
  code === null ? error !== null && NO_CONNECTION.has(error) : AWAY.has(code)

const NO_CONNECTION: ReadonlySet<string> = new Set(['timeout', 'dns', 'tls', 'refused', 'connection'])
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createHolds() {
  const held = new Map<string, Hold>()
  /** By URL: the event that failed last, and nothing was taken since. */
  const lastFailed = new Map<string, string>()

  return {
    of: (url: string): Hold | undefined => held.get(url),
    any: () => held.size > 0,

    /** The receiver answered an event: it is there. True: its queue was held, and goes on. */
    answered(url: string): boolean {
      lastFailed.delete(url)
      return held.delete(url)
    },

    /** An event failed, and the queue goes on. Returns the one that failed before it, if that was another: two in a row. */
    failed(url: string, eventId: string): string | undefined {
      const before = lastFailed.get(url)
      lastFailed.set(url, eventId)
      return before === eventId ? undefined : before
    },

    /** These events are in a queue that is held now. */
    wait(url: string, eventIds: readonly string[], nextTry: number, now: number): void {
      const hold = held.get(url) ?? { url, head: undefined, probeAt: 0, seekAfter: '' }
      held.set(url, hold)
      for (const eventId of eventIds) if (hold.head === undefined || eventId < hold.head) hold.head = eventId
      hold.probeAt = Math.min(nextTry, now + PROBE_EVERY)
    },

    /** One more event of a queue that is held. */
    saw(hold: Hold, eventId: string): void {
      if (hold.head !== undefined && eventId < hold.head) hold.head = eventId
    },

    /** The head is no more, or goes elsewhere: there may be another one. */
    headless(hold: Hold): void {
      hold.seekAfter = hold.head ?? ''
      hold.head = undefined
    },

    release: (url: string) => held.delete(url),

    /** The hold whose probe is due, undefined for none. */
    due: (now: number): Hold | undefined => [...held.values()].find(({ probeAt }) => probeAt <= now),

    next: (): number => Math.min(...[...held.values()].map(({ probeAt }) => probeAt)),

    /** URLs that nothing goes to any more. */
    keepOnly(urls: ReadonlySet<string>): void {
      for (const map of [held, lastFailed]) for (const url of [...map.keys()]) if (!urls.has(url)) map.delete(url)
    },
  }
}
export type Holds = ReturnType<typeof createHolds>
