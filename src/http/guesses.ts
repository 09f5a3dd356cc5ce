import { Failure } from '../domain/failures.ts'
import { TooMany } from './errors.ts'
import type { Throttle } from './rate-limit.ts'

export interface GuessesDeps {
  throttle: Throttle
  /** Limit of wrong guesses at short secrets, such as those that people choose. */
  shortSecrets: Throttle
}

type Wrong = 'unauthorized' | 'instance_not_found' | 'api_key_required' | 'client_token_required'

export interface Guesses {
  /**
   * Throws the failure for a wrong credential, or `rate_limited` after too many wrong guesses. A right credential of
   * 192 bits is never throttled: callers behind a proxy may share an address, so one could lock out the others.
   */
  refuse(code: Wrong, source: string, message?: string): never
  /**
   * Checks a secret that may be short. Returns undefined if it is wrong. After too many wrong guesses from an address,
   * it throws for a while, even for the right secret.
   */
  guessed<T>(owner: string, source: string, isRight: () => T | undefined): T | undefined
}

export function createGuesses({ throttle, shortSecrets }: GuessesDeps): Guesses {
  return {
    refuse(code, source, message) {
      const wait = throttle.blockedFor(source)
      throw wait === undefined ? new Failure(code, message === undefined ? {} : { message }) : new TooMany(wait, 'credential')
    },
    guessed(owner, source, isRight) {
      const wait = shortSecrets.blockedFor(source, owner)
      if (wait !== undefined) throw new TooMany(wait, 'credential')
      const right = isRight()
      if (right === undefined) shortSecrets.failed(source, owner)
      return right
    },
  }
}
