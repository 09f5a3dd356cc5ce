import { HOUR, MINUTE } from '../../../src/domain/clock.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import { type QueueOptions, resultOf } from './contract.ts'
import type { HeldTimes } from './held-times.ts'
import type { Waiting } from './item.ts'
import type { HoldPolicy, Holds } from './line/holds.ts'
import type { QueueLine } from './line/queue-line.ts'
import type { Schedule } from './line/schedule.ts'
import type { Removal } from './removal.ts'
import type { Settle } from './settle.ts'

const CHECK_EVERY = MINUTE
const BATCH = 50

export interface ExpiryDeps extends Pick<QueueOptions, 'instanceId' | 'steady' | 'settings' | 'hasMoved' | 'isPaused' | 'log'> {
  timer: Timer
  line: Pick<QueueLine, 'rows'>
  holds: Pick<Holds, 'of'>
  heldTimes: Pick<HeldTimes, 'add' | 'save'>
  schedule: Pick<Schedule, 'isConnected'>
  sendAt: Pick<HoldPolicy, 'holding'>
  removal: Pick<Removal, 'takeOut'>
  settle: Settle
  isRunning(): boolean
}

export interface Expiry {
  start(): void
  stop(): void
}

export function createExpiry({
  instanceId,
  steady,
  settings,
  log,
  timer,
  line,
  holds,
  heldTimes,
  schedule,
  sendAt,
  removal,
  settle,
  isRunning,
  hasMoved,
  isPaused,
}: ExpiryDeps): Expiry {
  let alarm: { cancel(): void } | undefined
  let checkedAt = steady.now()

  /**
   * Returns the waiting items that do not age now. Without a connection there are none, unless the instance is paused.
   */
  function ageless(): readonly Waiting[] {
    if (isPaused?.()) return line.rows
    return schedule.isConnected ? line.rows.filter((item) => holds.of(item)?.stopsAge) : []
  }

  /** Adds the time since the last call to the held time of each item that does not age. */
  function sumHeldTimes() {
    const now = steady.now()
    heldTimes.add(ageless(), now - checkedAt)
    checkedAt = now
    heldTimes.save(line.rows).catch((error: unknown) => {
      log.warn(
        { instance_id: instanceId, err: error },
        'queue: the times in which messages were held could not be stored; this is tried again in a minute',
      )
    })
  }

  async function expire() {
    const oldest = steady.now() - settings().queue_max_age_hours * HOUR
    const message = 'The message waited longer than queue_max_age_hours of the instance allows.'
    for (;;) {
      const expired = line.rows.filter((item) => !sendAt.holding(item) && item.arrivedAt + item.heldMs <= oldest).slice(0, BATCH)
      // If the account was moved, this server lets no item expire: the other server sends these items or reports
      // them as failed.
      if (expired.length === 0 || !isRunning() || hasMoved?.()) return
      removal.takeOut(expired)
      await settle(expired.map((item) => [item, resultOf({ status: 'failed', code: 'send_timeout', message })]))
    }
  }

  function start() {
    alarm = timer(CHECK_EVERY, () => {
      sumHeldTimes()
      expire()
        .catch((error: unknown) =>
          log.error(
            { instance_id: instanceId, err: error },
            'queue: messages that waited too long could not be removed; this is tried again later',
          ),
        )
        .finally(() => {
          if (isRunning()) start()
        })
    })
  }

  return { start, stop: () => alarm?.cancel() }
}
