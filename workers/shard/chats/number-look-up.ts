/**
 * Resolves a number to its account. For numbers with an optional digit, the network returns the registered form. After
 * an unclear answer, this module sends no query for some time (`TryLater`): each query could count against the account.
 */
import { type Clock, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Ask } from '../connection/ask.ts'
import { networkCodeOf } from '../connection/failures.ts'
import { TryLater } from '../queue/contract.ts'
import { bare } from '../wire/jid.ts'
import { numberAnswer, numberQuery } from '../wire/number-query.ts'

const FIRST_PAUSE = 5 * SECOND
const LONGEST_PAUSE = 5 * MINUTE
/** Maximum number of registered jids in the cache. Each connection has a new cache, so a wrong entry does not stay. */
const MAX_KNOWN = 10_000

export interface NumberLookUp {
  /** Resolves with the registered jid. Rejects with `phone_not_on_whatsapp`, `TryLater` or `instance_not_connected`. */
  (ask: Ask, digits: string): Promise<string>
  known(digits: string): string | undefined
  keep(digits: string, jid: string): void
}

export function createNumberLookUp(steady: Clock): NumberLookUp {
  const known = boundedCache<string, string>(MAX_KNOWN)
  let pause = 0
  let until = 0

  function later(code: number | null, backoffSeconds: number | null, cause?: unknown): TryLater {
    pause = Math.min(Math.max(FIRST_PAUSE, 2 * pause, (backoffSeconds ?? 0) * SECOND), LONGEST_PAUSE)
    until = steady.now() + pause
    return new TryLater(pause, { details: { network_code: code }, cause })
  }

  async function lookUp(ask: Ask, digits: string): Promise<string> {
    const answer = await ask((sid) => numberQuery(digits, sid)).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'instance_not_connected') throw error
      throw later(networkCodeOf(error), null, error)
    })
    const found = numberAnswer(answer)
    if (found.type === 'refused') throw later(found.code, found.backoffSeconds)
    pause = 0
    if (found.type === 'none') throw new Failure('phone_not_on_whatsapp')
    return bare(found.jid)
  }

  async function registered(ask: Ask, digits: string): Promise<string> {
    const cached = known.get(digits)
    if (cached) return cached
    const left = until - steady.now()
    if (left > 0) throw new TryLater(left, { details: { network_code: null } })
    const jid = await lookUp(ask, digits)
    known.set(digits, jid)
    return jid
  }

  return Object.assign(registered, {
    known: (digits: string) => known.get(digits),
    keep: (digits: string, jid: string) => void known.set(digits, jid),
  })
}
