/**
 * Streams of the events of an instance, which its shard thread stores. When the thread reports new events, each reader
 * requests the events after its last one.
 */
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import { EVENT_TYPES } from '../domain/events.ts'
import { Failure } from '../domain/failures.ts'
import type { EventStreamOf, EventStreams, EventsPage, ServerEvent, ServerEvents } from '../domain/server-events.ts'
import type { Engine } from '../engine/engine.ts'

export const MAX_STREAMS = 10
/**
 * Milliseconds after which a comment is sent if nothing else was. Proxies close silent streams, and so do our clients,
 * also while the instance has events that the reader does not want.
 */
const HEARTBEAT = 15 * SECOND
/** Milliseconds before the next request to a shard thread that does not answer. */
const ASK_AGAIN = SECOND
const LOOK_EVERY = 2 * SECOND

/**
 * Creates a bell, which wakes a reader when there are new events. If it rings while the reader does not wait, the next
 * wait ends immediately.
 */
function createBell() {
  let isRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isRung = true
      wake?.()
    },
    silence() {
      isRung = false
    },
    /**
     * Resolves with true if the bell was rung. Otherwise resolves with false after `ms`, or when the signal is aborted.
     */
    wait(ms: number, signal: AbortSignal): Promise<boolean> {
      if (isRung || signal.aborted) return Promise.resolve(isRung)
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          wake = undefined
          resolve(isRung)
        }
        const timer = setTimeout(done, ms)
        signal.addEventListener('abort', done)
        wake = done
      })
    },
  }
}
type Bell = ReturnType<typeof createBell>

const NOTHING: Pick<EventsPage, 'gap' | 'events' | 'more'> = { gap: null, events: [], more: false }

const isGone = (error: unknown) => error instanceof Failure && error.code === 'engine_unavailable'

export interface EventStreamsDeps {
  engine: Pick<Engine, 'call' | 'onEvent'>
  onGap(): void
  /** Reads the changes that operator commands wrote to the store. They may end the permission of a reader. */
  refresh(): Promise<void>
  /** Clock of the waits. */
  clock?: Clock
}

export function createEventStreams({ engine, onGap, refresh, clock = steadyClock }: EventStreamsDeps): EventStreams {
  const readers = new Map<string, Set<Bell>>()
  let isStopped = false
  let looking: ReturnType<typeof setInterval> | undefined

  /** Checks the store regularly, for all readers together. If a check fails, the next one tries again. */
  function keepLooking() {
    looking ??= setInterval(() => void refresh().catch(() => {}), LOOK_EVERY).unref()
  }

  function stopLooking() {
    clearInterval(looking)
    looking = undefined
  }

  // A restarted shard thread does not know the readers. It reports a state of each instance, and the readers then send
  // their requests again.
  engine.onEvent((event) => {
    if (event.type === 'outcome') return
    for (const bell of readers.get(event.instance) ?? []) bell.ring()
  })

  function enter(instance: string, bell: Bell): () => void {
    const present = readers.get(instance) ?? new Set()
    if (present.size >= MAX_STREAMS)
      throw new Failure('rate_limited', {
        message: `The instance already has ${MAX_STREAMS} open streams, which is the maximum; close one first.`,
      })
    readers.set(instance, present.add(bell))
    keepLooking()
    return () => {
      present.delete(bell)
      if (present.size === 0 && readers.get(instance) === present) readers.delete(instance)
      if (readers.size === 0) stopLooking()
    }
  }

  async function open({ instance, types = EVENT_TYPES, after, isAllowed }: EventStreamOf): Promise<ServerEvents> {
    if (isStopped) throw new Failure('engine_unavailable')
    const bell = createBell()
    const leave = enter(instance, bell)
    let cursor = after
    let reportedGap: string | null = null

    /**
     * Requests the events after the cursor. If `waits` is true, the request waits for the start of the instance. Later
     * requests need not wait, because a reported state of the instance rings the bell.
     */
    async function ask(waits: boolean): Promise<EventsPage> {
      bell.silence()
      const input = { after: cursor, types, reportedGap }
      const page = await engine.call(instance, { kind: 'control', operation: 'webhooks.eventsAfter', input }, {}, { waits })
      cursor = page.cursor
      reportedGap = page.gap?.to ?? reportedGap
      return page
    }

    /**
     * Resolves with the next page, or with `later` while the shard thread is down. Any other failure ends the stream
     * (`over`), and is answered when the reader connects again.
     */
    const next = () => ask(false).catch((error: unknown) => (isGone(error) ? 'later' : 'over'))

    // The stream has not begun yet, so a failure of this request is answered as an HTTP error.
    const first = await ask(true).catch((error: unknown) => {
      leave()
      throw error
    })
    const begin = after ?? first.cursor

    async function* events(signal: AbortSignal): AsyncIterable<ServerEvent> {
      let page: EventsPage | 'later' | 'over' = first
      let sentAt = clock.now()
      // With this id the reader can resume even if no event has arrived yet.
      yield { event: 'ready', id: begin, data: JSON.stringify({ after: begin }) }
      while (page !== 'over') {
        const { gap, events, more } = page === 'later' ? NOTHING : page
        if (gap) {
          onGap()
          yield { event: 'gap', data: JSON.stringify(gap) }
          sentAt = clock.now()
        }
        for (const event of events) {
          if (!isAllowed() || isStopped) return
          yield event
          sentAt = clock.now()
        }
        if (!more) {
          const leftMs = sentAt + HEARTBEAT - clock.now()
          if ((await quiet(page === 'later' ? ASK_AGAIN : leftMs, signal)) === 'over') return
          if (clock.now() - sentAt >= HEARTBEAT) {
            yield { comment: 'nothing new' }
            sentAt = clock.now()
          }
        }
        page = await next()
      }
    }

    /** Waits for news, `ms` at most. */
    async function quiet(ms: number, signal: AbortSignal): Promise<'over' | undefined> {
      for (let left = ms; left > 0; left -= LOOK_EVERY) {
        const isNews = await bell.wait(Math.min(left, LOOK_EVERY), signal)
        if (signal.aborted || isStopped || !isAllowed()) return 'over'
        if (isNews) return undefined
      }
      return undefined
    }

    return (signal) => {
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      return events(signal)
    }
  }

  return {
    open,
    count: () => [...readers.values()].reduce((sum, { size }) => sum + size, 0),
    stop() {
      isStopped = true
      stopLooking()
      for (const bells of readers.values()) for (const bell of bells) bell.ring()
    },
  }
}
