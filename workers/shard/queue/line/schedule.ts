import type { QueueOptions } from '../contract.ts'
import type { Waiting } from '../item.ts'
import { drawWait, turnAt } from './pacing.ts'

export interface ScheduleDeps extends Pick<QueueOptions, 'steady' | 'random' | 'settings'> {
  isRunning(): boolean
}

export interface Schedule {
  readonly isConnected: boolean
  setConnected(connected: boolean): void
  /**
   * Returns the earliest time of the monotonic clock at which this item could be sent. Returns the current time if
   * there is no item, and null if there is no connection.
   */
  timeOf(head: Waiting | undefined): number | null
  /**
   * Returns the ms until the item may be sent. Infinity if there is no item, no connection, or the queue does
   * not run.
   */
  waitOf(head: Waiting | undefined): number
  /**
   * Prevents attempts for this many ms, or until the connection opens or ends. Used after a failure that the item did
   * not cause.
   */
  pause(ms: number): void
  itemDone(): void
}

export function createSchedule({ steady, random, settings, isRunning }: ScheduleDeps): Schedule {
  let connectedAt: number | null = null
  let previousDoneAt: number | null = null
  /**
   * Time of the monotonic clock before which no attempt is made, after a failure that the item did not cause.
   */
  let notBefore = 0
  let drawn: { svcId: string; ms: number } | undefined

  function headTurnAt(head: Waiting, connected: number): number {
    if (drawn?.svcId !== head.svcId) drawn = { svcId: head.svcId, ms: drawWait(settings(), random) }
    const { arrivedAt, delayMessage } = head
    return Math.max(notBefore, turnAt({ arrivedAt, delayMessage, drawnMs: drawn.ms, previousDoneAt, connectedAt: connected }))
  }

  return {
    get isConnected() {
      return connectedAt !== null
    },
    setConnected(connected) {
      connectedAt = connected ? steady.now() : null
      notBefore = 0
    },
    timeOf(head) {
      if (connectedAt === null) return null
      return head ? headTurnAt(head, connectedAt) : steady.now()
    },
    waitOf(head) {
      if (!isRunning() || connectedAt === null || head === undefined) return Number.POSITIVE_INFINITY
      return headTurnAt(head, connectedAt) - steady.now()
    },
    pause(ms) {
      notBefore = steady.now() + ms
    },
    itemDone() {
      previousDoneAt = steady.now()
    },
  }
}
