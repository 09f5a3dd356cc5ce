/**
 * Ascending ULIDs, even after restarts and when the clock goes back, so that key order is the order of creation. If the
 * clock was far ahead, new ids stay ahead of it until `startOver` is called. Call `startOver` only while no item waits,
 * because new ids then sort before the earlier ones.
 */
import { decodeTime, incrementBase32, ulid } from 'ulid'
import { type Clock, HOUR } from '../domain/clock.ts'
import { randomFraction } from '../lib/ulid.ts'

const TIME_CHARACTERS = 10

export interface AscendingIds {
  next(): string
  continueAfter(id: string): void
  /** Milliseconds by which the newest id is ahead of the clock; 0 if the difference is normal. */
  ahead(): number
  startOver(): void
}

/**
 * Milliseconds by which ids may normally be ahead of the clock. They are further ahead only if the clock was far ahead
 * before.
 */
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
