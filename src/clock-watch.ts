/** The clock of the service. Jumps of the machine's clock are reported in the log and in the readiness check. */
import { type BoundedClock, type BoundedClockOptions, createBoundedClock } from './domain/bounded-clock.ts'
import { DAY, HOUR, MINUTE, SECOND } from './domain/clock.ts'
import type { Log } from './domain/log.ts'
import type { ShardReport } from './metrics/tally.ts'

/** Interval in ms between two checks, which is also the interval of the shard threads' reports. */
const LOOK_EVERY = 10 * SECOND

type Ahead = Pick<ShardReport, 'aheadMs' | 'clockAheadMs'>

export interface ClockWatch {
  clock: BoundedClock
  reported(total: Ahead): void
  /**
   * Returns a sentence for the operator. Returns undefined if neither the machine's clock nor ids or times of events
   * are ahead.
   */
  problem(): string | undefined
  stop(): void
}

export interface ClockWatchOptions extends Omit<BoundedClockOptions, 'onChange'> {
  log: Log
  everyMs?: number
}

export function watchClock({ log, everyMs = LOOK_EVERY, ...machine }: ClockWatchOptions): ClockWatch {
  let given = 0
  const clock = createBoundedClock({
    ...machine,
    onChange(aheadMs) {
      if (aheadMs > 0) log.warn({ ahead_ms: aheadMs }, 'the system clock jumped ahead; the service does not follow it yet')
      else log.info({}, 'the service follows the system clock again')
    },
  })
  const timer = setInterval(clock.now, everyMs)
  timer.unref()
  return {
    clock,
    reported({ aheadMs, clockAheadMs }) {
      // Only the shard threads learn the network's time, so it is derived from their reports.
      if (clockAheadMs > 0) clock.learned(machine.wall.now() - clockAheadMs, false)
      if (aheadMs > 0 && given === 0) log.warn({ ahead_ms: aheadMs }, 'ids or times of issued events are ahead of the clock')
      if (aheadMs === 0 && given > 0) log.info({}, 'ids and times of issued events are no longer ahead of the clock')
      given = aheadMs
    },
    problem() {
      const jump = clock.ahead()
      if (jump > 0) return `The system clock jumped ${span(jump)} ahead; the service does not follow it yet.`
      return given === 0
        ? undefined
        : `Event ids or times are up to ${span(given)} ahead of the clock, because the clock was ahead when they were issued.`
    },
    stop: () => clearInterval(timer),
  }
}

function span(ms: number): string {
  if (ms >= 2 * DAY) return `${Math.round(ms / DAY)} days`
  if (ms >= 2 * HOUR) return `${Math.round(ms / HOUR)} hours`
  return `${Math.round(ms / MINUTE)} minutes`
}
