/**
 * Outcomes of events that need no further attempt, written later: together, in the commit of the next event or some milliseconds later. Nobody waits
 * for them, because a kill repeats at most the posts of one batch, with the same event ids. Until then the events are still in the queue on disk, so
 * the outcomes are written before the queue is read.
 */
import type { Logger } from 'pino'
import { Failure } from '../../../src/domain/failures.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { persistently } from '../../../src/storage/persist.ts'
import type { Timer } from '../../../src/storage/timer.ts'

/** Number of events with an unwritten outcome; at most this many posts are repeated after a kill. */
export const MAX_UNWRITTEN = 64
/**
 * Number of outcomes that a commit of an event includes: on a nearly full disk it must not need more space than events usually do
 * (`storage/drivers/lmdb-room.ts`).
 */
const MAX_TAKEN = 8
/** Time in ms that they wait for the commit of an event. */
const WITHIN = 50

export interface DeliveryOutcomes {
  /** `ops` is called once, when they are written, and not between an answer and the next POST. */
  add(eventId: string, ops: () => readonly Op[]): void
  /**
   * Some of the oldest outcomes that are not taken, for a commit that is made immediately; call `written` after it. Otherwise they are written again.
   */
  take(): { ops: readonly Op[]; written(): void } | undefined
  /** When it resolves, all outcomes so far are on disk; it retries while the disk fails. */
  flush(): Promise<void>
  /** The limit is reached: no further attempt before a `flush`. */
  readonly isFull: boolean
  /** Writes the waiting outcomes, if the disk accepts them immediately. */
  stop(): Promise<void>
}

export interface DeliveryOutcomesOptions {
  instanceId: string
  store: Pick<StateStore, 'commit'>
  timer: Timer
  steps: Steps
  log: Pick<Logger, 'error'>
  max: number
}

interface Waiting {
  ops(): readonly Op[]
  /** A commit includes it and may still fail. */
  isTaken: boolean
}

export function createDeliveryOutcomes({ instanceId, store, timer, steps, log, max }: DeliveryOutcomesOptions): DeliveryOutcomes {
  const stopping = new AbortController()
  const waiting = new Map<string, Waiting>()
  let alarm: { cancel(): void } | undefined
  let flushing: Promise<void> | undefined

  function done(written: readonly (readonly [string, Waiting])[]) {
    for (const [eventId, each] of written) {
      if (waiting.get(eventId) !== each) continue
      waiting.delete(eventId)
      void steps('outbox:settled', eventId)
    }
  }

  const opsOf = (some: readonly (readonly [string, Waiting])[]) => some.flatMap(([, { ops }]) => ops())

  async function write(fits: (each: Waiting) => boolean): Promise<void> {
    const some = [...waiting].filter(([, each]) => fits(each))
    if (some.length === 0) return
    await persistently(() => store.commit({ ops: opsOf(some) }), {
      timer,
      signal: stopping.signal,
      onFailure: (err, waitMs) =>
        log.error(
          { instance_id: instanceId, err, retry_in_ms: waitMs },
          'webhook outbox: the outcome of a delivery could not be stored',
        ),
    })
    done(some)
  }

  async function flush(): Promise<void> {
    // One at a time: while the disk fails, one of them retries.
    while (flushing) await flushing
    flushing = write(() => true).finally(() => {
      flushing = undefined
    })
    await flushing
  }

  function wakeLater() {
    alarm ??= timer(WITHIN, () => {
      alarm = undefined
      behind().catch((err: unknown) =>
        log.error({ instance_id: instanceId, err }, 'webhook outbox: the outcomes of some deliveries were not stored'),
      )
    })
  }

  /** Outcomes that were taken wait the same time once more for their `written`. */
  async function behind(): Promise<void> {
    while (flushing) await flushing
    flushing = write(({ isTaken }) => !isTaken).finally(() => {
      flushing = undefined
    })
    await flushing
    for (const each of waiting.values()) each.isTaken = false
    if (waiting.size > 0) wakeLater()
  }

  return {
    add(eventId, ops) {
      let made: readonly Op[] | undefined
      waiting.set(eventId, { ops: () => (made ??= ops()), isTaken: false })
      if (waiting.size < max) wakeLater()
    },
    take() {
      const taken: (readonly [string, Waiting])[] = []
      // One by one: each event asks, while up to a whole batch waits.
      for (const one of waiting) {
        if (taken.length === MAX_TAKEN) break
        if (!one[1].isTaken) taken.push(one)
      }
      if (taken.length === 0) return undefined
      for (const [, each] of taken) each.isTaken = true
      return { ops: opsOf(taken), written: () => done(taken) }
    },
    flush,
    get isFull() {
      return waiting.size >= max
    },
    async stop() {
      stopping.abort(new Failure('engine_unavailable'))
      alarm?.cancel()
      alarm = undefined
      await flush()
    },
  }
}
