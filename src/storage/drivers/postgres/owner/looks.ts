/**
 * Looks at the rows of a schema once a second, on the connection that holds the locks of this service. If that
 * connection is lost, the locks are taken again on a new one.
 */
import { orLate } from '../../../../lib/deadline.ts'
import { type LeaseMoment, momentNow } from '../../../shared-lease.ts'
import type { Link } from '../link.ts'
import { TERMINATE } from '../writer.ts'
import { BEAT_EVERY } from './node-rows.ts'
import { createReconnect } from './reconnect.ts'
import { isSoon, SILENCE } from './schema-lock.ts'

/**
 * Milliseconds without an answer after which the service asks again almost at once. So a silent connection stops the
 * counter of this service for three seconds. A service that still has its locks is replaced only after five.
 */
export const LOOK_SILENCE = 2_000
const LOOK_AGAIN = 50
/** Milliseconds within which the former connection must end. It holds the locks until then. */
const LOCKED_WITHIN = 300

export interface Seen {
  row: unknown[]
  /** The moment before the query was sent. */
  sentAt: LeaseMoment
  /** The connection of this service; undefined while it is lost. */
  link: Link | undefined
  /** Whether `link` holds the locks. */
  isLocked: boolean
}

export interface LookOptions {
  /** The connection that holds the locks. */
  link: Link
  connect(): Promise<Link>
  /** Runs before each look on the connection that holds the locks, while no look is under way. Must not reject. */
  beforeLook: ((link: Link) => Promise<void>) | undefined
  ask(link: Link): Promise<unknown[]>
  /** Asks the same question as `ask`, on another connection of this process. */
  askElsewhere(): Promise<unknown[]>
  /** Resolves with false if the locks are not granted. */
  lock(link: Link): Promise<boolean>
  /** Resolves with false if this service was replaced, and must not take the locks again. */
  onSeen(seen: Seen): Promise<boolean>
}

/**
 * Resolves after the first look, with a function that ends the looks and the connection. Rejects if the first look
 * fails.
 */
export async function startLooks({
  connect,
  beforeLook,
  ask,
  askElsewhere,
  lock,
  onSeen,
  ...first
}: LookOptions): Promise<() => Promise<void>> {
  let { link } = first
  /** The connection that was lost, whose server process may still run and hold the locks. */
  let former: Link['backend'] | undefined
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<unknown> = Promise.resolve()
  const reconnect = createReconnect(connect, BEAT_EVERY)

  /**
   * Looks after the connection was lost. While this service connects again, a look on another connection shows the
   * other services that it runs.
   */
  async function askAgain(): Promise<unknown[]> {
    former ??= link.backend
    const onNew = reconnect.next().then((made) => {
      link = made
      return ask(made)
    })
    const onOther = orLate(askElsewhere(), LOOK_SILENCE, () => {
      throw new Error('The other connections get no answer either.')
    })
    return Promise.any([onNew, onOther])
  }

  async function look(): Promise<void> {
    if (link.isUp() && former === undefined) await beforeLook?.(link)
    const sentAt = momentNow()
    const row = await (link.isUp() ? ask(link) : askAgain())
    const used = link.isUp() ? link : undefined
    if (!(await onSeen({ row, sentAt, link: used, isLocked: former === undefined }))) return
    if (former === undefined || !link.isUp()) return
    await link.ask({ text: TERMINATE, values: [[former[0]], [former[1]]] }, SILENCE)
    if (!(await isSoon(() => lock(link), LOCKED_WITHIN))) return link.drop()
    former = undefined
  }

  let isWell = true
  const later = (pauseMs: number) => {
    timer = setTimeout(() => {
      const beganAt = performance.now()
      // An error of `look` is not reported, because commits and reads report that the database cannot be reached.
      looking = look()
        .then(
          () => true,
          () => {
            link.drop()
            return false
          },
        )
        .then((isDone) => {
          const isFirstFailure = isWell && !isDone
          isWell = isDone
          // A look that took long is followed by the next one early, because the watch begins again after a long gap.
          const restMs = Math.max(LOOK_AGAIN, BEAT_EVERY - (performance.now() - beganAt))
          if (timer) later(isFirstFailure ? LOOK_AGAIN : restMs)
        })
    }, pauseMs)
    timer.unref()
  }

  try {
    await look()
  } catch (error) {
    await link.end()
    throw error
  }
  later(BEAT_EVERY)
  return async () => {
    clearTimeout(timer)
    timer = undefined
    reconnect.stop()
    await looking
    await link.end()
  }
}
