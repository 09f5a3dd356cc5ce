/**
 * Lets a call wait for the start of its instance, and moves this start ahead in the line. Otherwise, callers would be
 * refused whenever many instances start.
 */
import { SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { orLate } from '../lib/deadline.ts'
import { deferred } from '../lib/deferred.ts'
import { createKeyCounts } from '../lib/key-counts.ts'
import type { CallerPatience } from './engine.ts'
import type { Placed, Placement } from './placement.ts'

/** Maximum time in ms for which a call waits. Callers of a standby wait for the same time. */
const PATIENCE = 3 * SECOND
/** Maximum number of calls that wait. Further calls are refused at once. */
const MOST_WAITING = 1_000
const MOST_WAITING_OF_INSTANCE = 20
/**
 * Longest time in s after which a refused client is asked to repeat its request. Clients do not repeat it if they are
 * told to wait longer (`repeats.ts` of `svc-client`).
 */
const LONGEST_RETRY_AFTER = 60

/**
 * Returns a function that resolves when the start of the instance has been sent to the current run of its thread. The
 * function rejects with the reason `not_started` if this cannot happen within three seconds, if too many calls wait, or
 * if the caller has left.
 */
export function createStartWait(placement: Pick<Placement, 'find'>) {
  const waiting = createKeyCounts()
  let total = 0

  function enter(instance: string): () => void {
    waiting.add(instance)
    total++
    return () => {
      total--
      waiting.remove(instance)
    }
  }

  return async (instance: string, patience: CallerPatience): Promise<Placed> => {
    const { waits = true, workspace = '', signal } = patience
    if (!waits) throw notStarted(0)
    const endsAt = steadyClock.now() + PATIENCE
    for (;;) {
      const entry = placement.find(instance)
      if (entry.inLine === undefined) {
        if (!isStartSent(entry) || signal?.aborted) throw notStarted(0)
        patience.checkAgain?.()
        return entry
      }
      const dueMs = entry.inLine.moveAhead(workspace)
      const leftMs = endsAt - steadyClock.now()
      if (leftMs <= 0 || dueMs > leftMs || signal?.aborted) throw notStarted(dueMs)
      if (total >= MOST_WAITING || waiting.of(instance) >= MOST_WAITING_OF_INSTANCE) throw tooManyWait(dueMs)
      const leave = enter(instance)
      await untilFirst(entry.inLine.left, leftMs, signal).finally(leave)
    }
  }
}

/**
 * Whether the start was sent to the current run of the thread. False while the thread is down, and for an instance that
 * is being deleted.
 */
const isStartSent = ({ generation, shard, isDoomed }: Placed) =>
  generation !== undefined && generation === shard.generation() && !isDoomed

async function untilFirst(left: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const gone = deferred()
  const leave = () => gone.resolve()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    await orLate(Promise.race([left, gone.promise]), ms, () => {})
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

function refusal(sentence: string, dueMs: number): Failure {
  const seconds = Math.max(1, Math.ceil(dueMs / SECOND))
  return new Failure('engine_unavailable', {
    message: `${sentence} Nothing of the request was carried out. The start is expected within ${seconds} s.`,
    details: { reason: 'not_started' },
    retryAfter: Math.min(LONGEST_RETRY_AFTER, seconds),
  })
}

const notStarted = (dueMs: number) =>
  refusal('This instance is not started yet, because only a limited number of instances starts in a second.', dueMs)
const tooManyWait = (dueMs: number) => refusal('Too many requests wait for the start of instances.', dueMs)
