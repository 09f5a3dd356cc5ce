/** Answers wrong credentials, and counts guesses. */
import { Failure } from '../domain/failures.ts'
import { TooMany } from './errors.ts'
import type { Throttle } from './rate-limit.ts'

export interface GuessesDeps {
  /** Limit of answers with 401, counted where they are given. */
  throttle: Throttle
  /** Limit of wrong guesses at short secrets, counted here. */
  shortSecrets: Throttle
}

/** Codes of a wrong credential. */
type Wrong = 'unauthorized' | 'instance_not_found' | 'api_key_required' | 'client_token_required'

export interface Guesses {
  /**
   * Answers a wrong credential. Only wrong credentials are throttled: behind a proxy, strangers share the address of every caller and must not be
   * able to lock anybody out. A secret of 192 bits needs no lockout.
   */
  refuse(code: Wrong, source: string, message?: string): never
  /**
   * Secrets that people choose may be short enough to guess. So each address has a hard limit of wrong guesses per `owner` of such a secret: above it
   * even the right secret is refused until the minute ends.
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
