/**
 * Commits the outcomes of rows. An outcome cannot be undone (a message was sent), so its commit is repeated until it
 * succeeds or the instance stops. `write` waits for the commit; `add` does not, and after a kill its rows are processed
 * again.
 */
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { persistently } from '../../../src/storage/persist.ts'
import type { Timer } from '../../../src/storage/timer.ts'

export const MAX_UNWRITTEN = 64
/**
 * Number of outcomes that are added to the commit of a new row. The number is small, because on a nearly full disk a
 * commit must not need more space than usual.
 */
const TAKEN = 8
const MAX_CARRIERS = 256
/**
 * Time in ms for which an outcome waits, so that several share a commit, or the commit of a new row takes them along.
 * The three events of a sent text usually end within this time.
 */
const WITHIN = 250

export interface Outcomes {
  /** Commits the outcome at once, and repeats the commit while the disk fails. `ops` is called for each try. */
  write(ops: () => readonly Op[]): Promise<void>
  /**
   * Keeps the outcome of a row in memory, and writes it a little later. `ops` is called only then, so that it does not
   * delay the next attempt.
   */
  add(id: string, ops: () => readonly Op[]): void
  take(carrier: string): readonly Op[]
  carried(carrier: string): void
  flush(): Promise<void>
  /** Whether so many outcomes are waiting that no row may be attempted before a `flush`. */
  readonly isFull: boolean
  /** Call this after `signal` was aborted. Writes the waiting outcomes, if the disk accepts them immediately. */
  stop(): Promise<void>
}

export interface OutcomesOptions {
  store: Pick<StateStore, 'commit'>
  timer: Timer
  signal: AbortSignal
  max?: number | undefined
  onFailure(error: unknown, waitMs: number): void
  onWritten?(id: string): void
  /**
   * Called when outcomes could not be written before the instance stopped. The attempts of their rows are then repeated
   * after the next start.
   */
  onLost?(error: unknown): void
}

interface Waiting {
  ops(): readonly Op[]
  isTaken: boolean
}
type Entry = readonly [id: string, outcome: Waiting]

const opsOf = (some: readonly Entry[]) => some.flatMap(([, { ops }]) => ops())

export function createOutcomes(options: OutcomesOptions): Outcomes {
  const { store, timer, signal, max = MAX_UNWRITTEN, onFailure, onWritten, onLost } = options
  const waiting = new Map<string, Waiting>()
  const carriers = new Map<string, readonly Entry[]>()
  let alarm: { cancel(): void } | undefined
  let flushing: Promise<void> | undefined

  const write = async (ops: () => readonly Op[]) =>
    void (await persistently(() => store.commit({ ops: ops() }), { timer, signal, onFailure }))

  function done(written: readonly Entry[]) {
    for (const [id, each] of written) {
      if (waiting.get(id) !== each) continue
      waiting.delete(id)
      onWritten?.(id)
    }
  }

  async function writeWaiting(fits: (each: Waiting) => boolean) {
    const some = [...waiting].filter(([, each]) => fits(each))
    if (some.length === 0) return
    await write(() => opsOf(some))
    done(some)
  }

  async function flush(fits: (each: Waiting) => boolean = () => true): Promise<void> {
    // Only one flush runs at a time, because a flush repeats its commit while the disk fails.
    while (flushing) await flushing
    flushing = writeWaiting(fits).finally(() => {
      flushing = undefined
    })
    await flushing
  }

  function wakeLater() {
    alarm ??= timer(WITHIN, () => {
      alarm = undefined
      behind().catch((error: unknown) => onLost?.(error))
    })
  }

  async function behind(): Promise<void> {
    await flush(({ isTaken }) => !isTaken)
    for (const each of waiting.values()) each.isTaken = false
    if (waiting.size > 0) wakeLater()
  }

  return {
    write,
    add(id, ops) {
      let made: readonly Op[] | undefined
      waiting.set(id, { ops: () => (made ??= ops()), isTaken: false })
      if (waiting.size < max) wakeLater()
    },
    take(carrier) {
      if (waiting.size < TAKEN) return []
      const taken: Entry[] = []
      // This runs for each new row, and many outcomes may be waiting. So the loop ends as soon as it has found enough.
      for (const one of waiting) {
        if (taken.length === TAKEN) break
        if (!one[1].isTaken) taken.push(one)
      }
      if (taken.length < TAKEN) return []
      for (const [, each] of taken) each.isTaken = true
      if (carriers.size >= MAX_CARRIERS) carriers.clear()
      carriers.set(carrier, taken)
      return opsOf(taken)
    },
    carried(carrier) {
      done(carriers.get(carrier) ?? [])
      carriers.delete(carrier)
    },
    flush: () => flush(),
    get isFull() {
      return waiting.size >= max
    },
    async stop() {
      alarm?.cancel()
      alarm = undefined
      await flush().catch((error: unknown) => onLost?.(error))
    },
  }
}
