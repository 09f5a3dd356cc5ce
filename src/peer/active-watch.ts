/** Knows the active service of the store, and asks it every second whether it is ready. */
import { SECOND, steadyClock } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { ActiveService } from './forward-rules.ts'
import type { PeerCaller, Readiness } from './peer-caller.ts'

export interface ActiveWatch {
  /** Undefined while no active service is known. */
  active(): ActiveService | undefined
  /** False if the active service has no port for requests that are passed on. */
  isPossible(): boolean
  set(next: ActiveService | undefined): void
  setUnreachable(): void
  /**
   * Must be called when a service has said that it stops. It then no longer counts as active, although its row may
   * still be in the database.
   */
  noteLeaving(service: ActiveService): void
  /** Returns the last readiness of the active service. Undefined if it gave no answer within the last seconds. */
  readiness(): Readiness | undefined
  stop(): void
}

export interface ActiveWatchDeps {
  caller: Pick<PeerCaller, 'look' | 'endAll' | 'endAllIn'>
  lostAfterMs: number
  log: Pick<Log, 'warn'>
}

const LOOK_EVERY = SECOND
/** Milliseconds without an answer after which a service does not count as reached. */
const REACHED_FOR = 3 * SECOND
/**
 * Milliseconds within which the last answers of the former active service must arrive, after another one has become
 * active.
 */
export const LAST_ANSWERS = SECOND

export function createActiveWatch({ caller, lostAfterMs, log }: ActiveWatchDeps): ActiveWatch {
  let active: ActiveService | undefined
  /** The active service, or the last known one, to which requests that were passed on may still be under way. */
  let last: ActiveService | undefined
  /** Id of the former active service that has said that it stops. */
  let leaving: string | undefined
  /** Time of the last answer of the service. Before its first answer, the time since which it is known. */
  let reachedAt = 0
  let readiness: Readiness | undefined
  let isTold = false
  let isPossible = true

  function noteLeaving({ id }: ActiveService) {
    if (active?.id !== id) return
    leaving = id
    active = undefined
  }

  async function look(): Promise<void> {
    if (last === undefined) return
    const target = last
    const isFormer = () => last?.id !== target.id
    try {
      const found = await caller.look(target)
      if (isFormer()) return
      readiness = found
      reachedAt = steadyClock.now()
      isTold = false
      if (found.isLeaving) noteLeaving(target)
    } catch (cause) {
      if (isFormer()) return
      const since = steadyClock.now() - reachedAt
      if (since > lostAfterMs) caller.endAll()
      if (since <= REACHED_FOR || isTold || active === undefined) return
      isTold = true
      const { host, port } = target
      log.warn({ err: cause, host, port }, 'the standby cannot reach the active service, so it passes no requests on to it')
    }
  }
  const looking = setInterval(() => void look(), LOOK_EVERY)
  looking.unref()

  return {
    active: () => active,
    isPossible: () => isPossible,
    set(next) {
      isPossible = true
      if (next !== undefined && next.id === leaving) return
      if (next?.id === active?.id && next?.host === active?.host && next?.port === active?.port) return
      if (next !== undefined && last !== undefined && next.id !== last.id) caller.endAllIn(LAST_ANSWERS)
      last = next ?? last
      active = next
      reachedAt = steadyClock.now()
      readiness = undefined
      isTold = false
      void look()
    },
    setUnreachable() {
      active = undefined
      isPossible = false
    },
    noteLeaving,
    readiness: () => (active !== undefined && steadyClock.now() - reachedAt <= REACHED_FOR ? readiness : undefined),
    stop() {
      active = undefined
      last = undefined
      clearInterval(looking)
    },
  }
}
