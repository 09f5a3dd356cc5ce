/** Checks whether a caller may read the metrics, of an active service or of a standby. */
import { Failure } from '../domain/failures.ts'
import { isIn, isNear, literalAddress, type Ranges } from '../egress/addresses.ts'
import { type AccessRequest, bearer } from './access-request.ts'
import { NO_ROUTE } from './errors.ts'
import type { Guesses } from './guesses.ts'
import { isRelayed } from './source.ts'

export interface MetricsCheckDeps {
  guesses: Guesses
  trusted: Ranges
  /** Compares a token with the metrics token, in constant time. Undefined if no metrics token is set. */
  isMetricsToken: ((value: string) => boolean) | undefined
}

type From = Pick<AccessRequest, 'headers' | 'source' | 'peer'>

/**
 * True if only this machine or its network can own the name in `Host`. Otherwise a web page could let its own host name
 * resolve to this service and read the answers (DNS rebinding).
 */
function isLocalHost(host: string | null): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(host ?? '')?.[1]
  if (name === undefined || name === '') return false
  const literal = literalAddress(name)
  return literal === undefined ? /^[a-z0-9_-]+$|\.localhost$/i.test(name) : isNear(literal)
}

export function isLocal({ headers, source, peer }: From, trusted: Ranges, isNearEnough: (source: string) => boolean): boolean {
  // An untrusted proxy relayed the request, so the caller may be anybody.
  const isAnybodys = isRelayed(headers) && !isIn(trusted, peer ?? '')
  return !isAnybodys && isNearEnough(source) && isLocalHost(headers.get('Host'))
}

/**
 * Throws a `Failure` if the caller must not read the metrics. If no token is set, only callers on this machine or in a
 * private network are admitted.
 */
export const createMetricsCheck =
  ({ guesses, trusted, isMetricsToken }: MetricsCheckDeps) =>
  (from: From): void => {
    const { headers, source } = from
    if (isMetricsToken) {
      const value = bearer(headers)
      // A request without a token does not count as a guess of the metrics token.
      const isRight = value !== undefined && guesses.guessed('metrics', source, () => isMetricsToken(value) || undefined)
      if (!isRight) guesses.refuse('unauthorized', source)
      return
    }
    if (!isLocal(from, trusted, isNear)) throw new Failure('not_found', { message: NO_ROUTE })
  }
