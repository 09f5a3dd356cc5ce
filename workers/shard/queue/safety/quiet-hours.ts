/** Quiet hours in a time zone. Pure: the time is an argument. */
import { DAY, MINUTE } from '../../../../src/domain/clock.ts'
import type { QuietHours } from '../../../../src/domain/send-safety.ts'

const MINUTES_OF_DAY = DAY / MINUTE

/**
 * Returns a function that says when the quiet hours of this moment end, in epoch ms, or null outside of them. The end is the first minute whose time on
 * the wall is not quiet, so it is right on days on which clocks change.
 */
export function quietUntil({ from, to, time_zone }: QuietHours): (at: number) => number | null {
  const minuteOf = minuteOfDayIn(time_zone)
  const [first, end] = [minutesOf(from), minutesOf(to)]
  const isQuiet = (at: number) => {
    const minute = minuteOf(at)
    return first < end ? minute >= first && minute < end : minute >= first || minute < end
  }

  return (at) => {
    if (!isQuiet(at)) return null
    const begun = Math.floor(at / MINUTE) * MINUTE
    const straight = begun + modulo(end - minuteOf(at)) * MINUTE
    // If clocks change before the end, the time on the wall is earlier or later than `to` by that change.
    const off = modulo(minuteOf(straight) - end + MINUTES_OF_DAY / 2) - MINUTES_OF_DAY / 2
    let until = Math.max(begun + MINUTE, straight - off * MINUTE)
    // The time `to` itself may not exist on the day of a change.
    while (isQuiet(until)) until += MINUTE
    return until
  }
}

const modulo = (minutes: number) => ((minutes % MINUTES_OF_DAY) + MINUTES_OF_DAY) % MINUTES_OF_DAY

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

/** Returns the minute of the day on a wall in this time zone. A zone that this machine does not know counts as UTC. */
function minuteOfDayIn(timeZone: string): (at: number) => number {
  const format = formatIn(timeZone) ?? formatIn('UTC')!
  return (at) => minutesOf(format.format(at))
}

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  } catch {
    return undefined
  }
}
