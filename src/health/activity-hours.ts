/**
 * Numbers of messages and deliveries for each of the last 168 hours, in a ring of 2.7 kB. Hours are counted from the
 * epoch.
 */

export const AMOUNTS = ['sent', 'received', 'delivered', 'failed'] as const
export type Amounts = Record<(typeof AMOUNTS)[number], number>

export const HOURS = 168

export interface ActivityHours {
  newest: number
  numbers: Uint32Array
}

/** Number of an hour, counted from the epoch, and its amounts in the order of `AMOUNTS`. */
export type HourRow = [hour: number, sent: number, received: number, delivered: number, failed: number]

const WIDTH = AMOUNTS.length

export const emptyHours = (newest = 0): ActivityHours => ({ newest, numbers: new Uint32Array(HOURS * WIDTH) })

const placeOf = (hour: number) => (hour % HOURS) * WIDTH

/**
 * Makes the ring reach an hour. If the clock jumped by a week, in either direction, nothing in the ring is of the last
 * seven days, so the ring is cleared.
 */
function reach(ring: ActivityHours, hour: number) {
  if (Math.abs(hour - ring.newest) >= HOURS) {
    ring.numbers.fill(0)
    ring.newest = hour
  }
  while (ring.newest < hour) {
    const place = placeOf(++ring.newest)
    ring.numbers.fill(0, place, place + WIDTH)
  }
}

export function addAmounts(ring: ActivityHours, hour: number, amounts: Amounts): void {
  reach(ring, hour)
  const place = placeOf(hour)
  for (let at = 0; at < WIDTH; at++) ring.numbers[place + at]! += amounts[AMOUNTS[at]!]
}

/** Adds those hours of `from` that `to` covers. */
export function addHours(to: ActivityHours, from: ActivityHours): void {
  const last = Math.min(to.newest, from.newest)
  for (let hour = Math.max(to.newest, from.newest) - HOURS + 1; hour <= last; hour++) {
    const place = placeOf(hour)
    for (let at = place; at < place + WIDTH; at++) to.numbers[at]! += from.numbers[at]!
  }
}

/** Returns the hours from `first` to `last` that have activity, the oldest first. */
export function rowsOf(ring: ActivityHours, first: number, last: number): HourRow[] {
  const rows: HourRow[] = []
  const end = Math.min(last, ring.newest)
  for (let hour = Math.max(first, ring.newest - HOURS + 1); hour <= end; hour++) {
    const [sent = 0, received = 0, delivered = 0, failed = 0] = ring.numbers.subarray(placeOf(hour), placeOf(hour) + WIDTH)
    if (sent || received || delivered || failed) rows.push([hour, sent, received, delivered, failed])
  }
  return rows
}
