/** Answers `GET /metrics` of a standby, for the callers who may read the metrics of an active service. */
import { hashOf, isSameHash } from '../account/credentials.ts'
import type { Config } from '../config.ts'
import { steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { METRICS_TEXT } from '../domain/metrics-text.ts'
import { parseRanges } from '../egress/addresses.ts'
import { failureResponse, TooMany } from '../http/errors.ts'
import { createGuesses } from '../http/guesses.ts'
import { createMetricsCheck } from '../http/metrics-check.ts'
import { createThrottle } from '../http/rate-limit.ts'
import { sourceOf } from '../http/source.ts'
import { processText } from '../metrics/process.ts'
import { keyOf, type Tally } from '../metrics/tally.ts'
import { textOf } from '../metrics/text.ts'

/** Answers a request for the metrics. `peer` is the address of the socket. */
export type AnswerMetrics = (request: Request, peer: string | undefined) => Promise<Response>

export function createStandbyMetrics(
  { metricsToken, trustedProxies }: Pick<Config, 'metricsToken' | 'trustedProxies'>,
  tally: Tally,
): AnswerMetrics {
  const trusted = parseRanges(trustedProxies)
  const throttle = createThrottle(steadyClock)
  const tokenHash = metricsToken === null ? undefined : hashOf(metricsToken)
  const check = createMetricsCheck({
    guesses: createGuesses({ throttle, shortSecrets: createThrottle(steadyClock) }),
    trusted,
    isMetricsToken: tokenHash === undefined ? undefined : (value) => isSameHash(hashOf(value), tokenHash),
  })
  return async ({ headers }, peer) => {
    const source = sourceOf(peer, headers, trusted)
    try {
      check({ headers, source, peer })
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure
      if (failure.code === 'unauthorized') throttle.failed(source)
      if (failure instanceof TooMany) tally.add('svc_rate_limited_total', { scope: failure.scope })
      return failureResponse(failure)
    }
    const numbers = new Map([...tally.numbers(), [keyOf('svc_standing_by', {}), 1]])
    const text = `${await textOf(numbers)}\n${await processText()}`
    return new Response(text, { headers: { 'Content-Type': METRICS_TEXT, 'Cache-Control': 'no-store' } })
  }
}
