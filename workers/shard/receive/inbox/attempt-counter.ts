/**
 * A stanza that meets a failure of ours (a read that fails, a record that is broken) comes again, because the connection is cut before it
 * is confirmed; but not for ever: it must not hold up the stanzas behind it.
 */

import type { Logger } from 'pino'
import type { ReceivedEvent } from '../../../../src/features/webhook-payloads.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../../src/storage/contract.ts'
import type { Mark } from './seen-marks.ts'

const MAX_TRIES = 5
const REMEMBERED = 1_000

export interface Tries {
  /** Counts. False: it has had its tries. */
  isWorthAnother(mark: Mark): boolean
}

export function createTries(): Tries {
  const tries = boundedCache<Mark, number>(REMEMBERED)
  return {
    isWorthAnother(mark) {
      const before = tries.get(mark) ?? 0
      tries.delete(mark)
      if (before >= MAX_TRIES) return false
      tries.set(mark, before + 1)
      return true
    },
  }
}

/**
 * For a stanza without a ciphertext: commits the events of `make`, once per seen mark, with `more`. Without an event no mark is set.
 * `others`: seen marks of the same message under other names.
 */
export type Once = (
  mark: Mark,
  make: () => Promise<readonly ReceivedEvent[]>,
  more?: readonly Op[],
  others?: readonly Mark[],
) => Promise<void>

/** `once` for a `make` that may meet a failure of ours: it rejects so that the stanza comes again, until it has had its tries. */
export function triedOnce(once: Once, log: Pick<Logger, 'error'>): Once {
  const tries = createTries()
  return (mark, make, more, others) =>
    once(
      mark,
      async () => {
        try {
          return await make()
        } catch (error) {
          if (tries.isWorthAnother(mark)) throw error
          log.error({ err: error, mark }, 'a stanza could not be reported after several deliveries; it is dropped')
          return []
        }
      },
      more,
      others,
    )
}
