/**
 * ULIDs that ascend, also over a restart and when the clock goes back: key order is the order in which they were given out. Behind a clock that was
 * far ahead they stay ahead with it, until their owner, who knows when nothing given out before is waiting any more, has them start over.
 */
import { decodeTime, incrementBase32, ulid } from 'ulid'
import { type Clock, HOUR } from '../domain/clock.ts'
import { randomFraction } from '../lib/ulid.ts'

/** Characters of a ULID that carry the time; the other 16 are random. */
const TIME_CHARACTERS = 10

export interface AscendingIds {
  next(): string
  /** Everything given out from now on sorts after this id: the newest one in storage, read at start. */
  continueAfter(id: string): void
  /** How far the newest id is ahead of the clock, in ms, where that is more than a clock is off by; otherwise 0. */
  ahead(): number
  /** The next one is of now, and may sort before those given out so far. */
  startOver(): void
}

/** Ids of a burst, and of a clock that was set back a little, are ahead by less. */
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
