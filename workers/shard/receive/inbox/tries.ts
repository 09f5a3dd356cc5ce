/**
 * Counts how often a stanza was tried. The number of attempts is limited, so that a stanza that this service cannot
 * process does not block later ones forever.
 */

import type { Logger } from 'pino'
import type { ReceivedEvent } from '../../../../src/features/webhook-payloads.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../../src/storage/contract.ts'
import type { Mark } from '../../messages/seen-marks.ts'

const MAX_TRIES = 5
const REMEMBERED = 1_000

export interface Tries {
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

/** Commits the events that `make` returns, once per message. `others`: further hashes of the same message. */
export type Once = (
  mark: Mark,
  make: () => Promise<readonly ReceivedEvent[]>,
  more?: readonly Op[],
  others?: readonly Mark[],
) => Promise<void>

/**
 * Returns a form of `once` that rejects if `make` fails, so that the stanza is delivered again. After the last
 * attempt the stanza is dropped.
 */
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
