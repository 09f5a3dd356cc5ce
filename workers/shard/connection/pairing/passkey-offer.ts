import { MINUTE } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { type Assertion, PASSKEY_ATTEMPTS } from '../../../../src/domain/passkey.ts'
import type { RequestOptions } from '../../wire/passkey.ts'
import { problemOf } from './passkey-assertion.ts'
import type { PasskeyDeadline } from './passkey-deadline.ts'

/** Time in ms after which options expire. The network refuses a challenge that is older. */
export const OPTIONS_LIFE = 10 * MINUTE
const MAX_REFUSED = 10
const TOO_MANY = `${MAX_REFUSED} assertions were refused; restart the pairing.`

export function createPasskeyOffer(deadline: Pick<PasskeyDeadline, 'set'>) {
  let options: RequestOptions | null = null
  let attemptsLeft = PASSKEY_ATTEMPTS
  let refused = 0
  deadline.set(OPTIONS_LIFE)

  return {
    options: () => options,
    attemptsLeft: () => attemptsLeft,
    shown: () => ({ public_key: options?.publicKey ?? null, attempts_left: attemptsLeft }),
    replace(found: RequestOptions) {
      options = found
      deadline.set(OPTIONS_LIFE)
    },
    /** Begins the deadline again, for the next attempt. It includes the time for fetching new options. */
    renew: () => deadline.set(OPTIONS_LIFE),
    withdraw() {
      options = null
    },
    /** Uses up one attempt. If the assertion must not be sent, throws a `Failure`, and uses up none. */
    take(assertion: Assertion): void {
      if (options === null) throw new Failure('passkey_not_pending')
      if (refused >= MAX_REFUSED) throw new Failure('rate_limited', { message: TOO_MANY })
      const problem = problemOf(assertion, options)
      if (problem) {
        refused += 1
        throw Failure.invalid(problem)
      }
      attemptsLeft -= 1
      // The challenge in the options is valid for one assertion only, so the options are removed.
      options = null
    },
  }
}
