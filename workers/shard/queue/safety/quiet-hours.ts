import { DAY, MINUTE } from '../../../../src/domain/clock.ts'
import type { QuietHours } from '../../../../src/domain/send-safety.ts'

const MINUTES_OF_DAY = DAY / MINUTE

/**
 * Returns a function from a time to the end of the quiet hours at this time, both in epoch ms. The function returns
 * null outside of quiet hours.
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
    // `off`: minutes by which `straight` misses the end, because the clocks change before it.
    const off = modulo(minuteOf(straight) - end + MINUTES_OF_DAY / 2) - MINUTES_OF_DAY / 2
    let until = Math.max(begun + MINUTE, straight - off * MINUTE)
    // On the day on which the clocks change, the local time `to` may not exist. The quiet hours then end at the first
    // later minute that is not quiet.
    while (isQuiet(until)) until += MINUTE
    return until
  }
}

const modulo = (minutes: number) => ((minutes % MINUTES_OF_DAY) + MINUTES_OF_DAY) % MINUTES_OF_DAY

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

/**
 * Returns a function from a time to its minute of the day. A time zone that this machine does not know is treated as
 * UTC.
 */
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
