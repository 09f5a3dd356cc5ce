/**
 * Ascending ULIDs, even across restarts and when the clock goes back: key order is the order of creation. If the clock was far ahead, new ids stay
 * ahead of the time until their owner calls `startOver`. The owner calls it when no item with an earlier id is waiting.
 */
import { decodeTime, incrementBase32, ulid } from 'ulid'
import { type Clock, HOUR } from '../domain/clock.ts'
import { randomFraction } from '../lib/ulid.ts'

/** Number of characters of a ULID that encode the time; the other 16 are random. */
const TIME_CHARACTERS = 10

export interface AscendingIds {
  next(): string
  /** Makes new ids sort after the given id, which is the newest id in storage, read at the start. */
  continueAfter(id: string): void
  /** Returns how far the newest id is ahead of the clock in ms; 0 if the difference is normal. */
  ahead(): number
  /** Makes the next id use the current time, so that it may sort before earlier ids. */
  startOver(): void
}

/** Difference above which ids are far ahead. Ids are ahead by less than this after a burst, or after the clock was set back a little. */
const FAR_AHEAD = HOUR

export function ascendingIds(clock: Clock, random: () => number = randomFraction): AscendingIds {
  let last = ''
  return {
    next() {
      const now = clock.now()
      const moved = last === '' || now > decodeTime(last)
      last = moved ? ulid(now, random) : last.slice(0, TIME_CHARACTERS) + incrementBase32(last.slice(TIME_CHARACTERS))
      return last
    },
    continueAfter(id) {
      if (id > last) last = id
    },
    ahead() {
      const ms = last === '' ? 0 : decodeTime(last) - clock.now()
      return ms > FAR_AHEAD ? ms : 0
    },
    startOver() {
      last = ''
    },
  }
}
