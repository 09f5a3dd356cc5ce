/**
 * Makes the commits that end rows of a durable line. An outcome cannot be undone (a message was sent, an event was posted), so its commit is repeated
 * until the disk accepts it. `write` waits for the commit. `add` does not: its outcomes are written together, in the commit of a new row or a moment
 * later. If the process is killed before this, the rows are processed again, so `add` is only for work that may be repeated. Until the commit the
 * rows are still on disk, so outcomes are written before rows are read from disk.
 */
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { persistently } from '../../../src/storage/persist.ts'
import type { Timer } from '../../../src/storage/timer.ts'

/** The most rows whose outcome is not written yet. At most this many rows are processed again after a kill. */
export const MAX_UNWRITTEN = 64
/**
 * Number of outcomes that a commit of a new row includes. Fewer outcomes than this wait for others. The reason is that outcomes change pages of the
 * log and of its index that the new row does not change, and eight outcomes change hardly more pages than one. The number is small, because on a
 * nearly full disk the commit must not need more space than rows usually do (`storage/drivers/lmdb-room.ts`).
 */
const TAKEN = 8
/** The most running commits of new rows that include outcomes. */
const MAX_CARRIERS = 256
/**
 * Time in ms for which outcomes wait for more outcomes, and for the commit of a new row. The three events of a sent text usually end within this
 * time.
 */
const WITHIN = 250

export interface Outcomes {
  /** Writes an outcome, which is durable when it resolves. `ops` is called for each try. */
  write(ops: () => readonly Op[]): Promise<void>
  /** Adds an outcome. `ops` is called only when the outcome is written, so that it does not delay the next attempt. */
  add(id: string, ops: () => readonly Op[]): void
  /**
   * Returns some of the oldest outcomes that are in no other commit, for the commit of this new row; none if too few wait. The caller makes this
   * commit immediately.
   */
  take(carrier: string): readonly Op[]
  /** Reports that the commit of this new row has succeeded. Outcomes in a commit that failed are written separately. */
  carried(carrier: string): void
  /** Writes all outcomes so far; retries while the disk fails. They are on disk when it resolves. */
  flush(): Promise<void>
  /** True if the limit of unwritten outcomes is reached. The next row must not be attempted before a `flush`. */
  readonly isFull: boolean
  /** Must be called after `signal` was aborted. Writes the waiting outcomes, if the disk accepts them immediately. */
  stop(): Promise<void>
}

export interface OutcomesOptions {
  store: Pick<StateStore, 'commit'>
  timer: Timer
  /** Aborted to end the retries on a failing disk. */
  signal: AbortSignal
  max?: number | undefined
  onFailure(error: unknown, waitMs: number): void
  onWritten?(id: string): void
  /** Called when outcomes were not written before the end of the service, so their attempts will be repeated. */
  onLost?(error: unknown): void
}

interface Waiting {
  ops(): readonly Op[]
  /** True if a commit includes the outcome; the commit may still fail. */
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

  /** Writes the waiting outcomes. If an outcome is in the commit of a new row, the result of this commit is awaited, for at most `WITHIN` ms more. */
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
      const taken: Entry[] = []
      // The loop ends as soon as it has found enough outcomes: it runs for each new row, and many outcomes may be waiting.
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
