/** ULIDs that always ascend, also over a restart and when the clock goes back: key order is the order in which they were given out. */
import { decodeTime, incrementBase32, ulid } from 'ulid'
import type { Clock } from '../domain/clock.ts'
import { randomFraction } from '../lib/ulid.ts'

/** Characters of a ULID that carry the time; the other 16 are random. */
const TIME_CHARACTERS = 10

export interface AscendingIds {
  next(): string
  /** Everything given out from now on sorts after this id: the newest one in storage, read at start. */
  continueAfter(id: string): void
}

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
  }
}
