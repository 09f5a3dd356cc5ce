/**
 * Which account a number leads to. Brazilian and similar numbers have an optional digit: the network says which form is registered. Only its
 * plain word that there is no account is one: whatever else comes, and nothing, is waited out, longer each time, and meanwhile nobody asks,
 * because each question would count against the account (`TryLater`).
 */
import { MINUTE, SECOND, steadyClock } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedQuery } from '../baileys/query.ts'
import type { Session } from '../chats/session.ts'
import { networkCode, sendFailure } from '../connection/failures.ts'
import { untilEnd } from '../connection/within.ts'
import { TryLater } from '../queue/contract.ts'
import { bare } from '../wire/jid.ts'
import { numberAnswer, numberQuery } from '../wire/number-query.ts'

/** Deadline of a single network query: shared/api/auth-and-limits.md. */
const QUERY_DEADLINE = 20 * SECOND
const FIRST_PAUSE = 5 * SECOND
const LONGEST_PAUSE = 5 * MINUTE
/** Registered jid by the number that was asked for. A number changes hands rarely; a wrong entry heals with the next connection. */
const MAX_KNOWN = 10_000

interface LookUps {
  known: Map<string, string>
  /** The last pause, in ms; 0 after an answer. */
  pause: number
  /** Nobody asks before this moment of the clock that does not step. */
  until: number
}

const lookUps = new WeakMap<Session, LookUps>()

/** Throws `phone_not_on_whatsapp`, `TryLater`, `instance_not_connected`. */
export async function registeredJid(session: Session, digits: string): Promise<string> {
  const state = lookUps.get(session) ?? { known: new Map(), pause: 0, until: 0 }
  lookUps.set(session, state)
  const cached = state.known.get(digits)
  if (cached) return cached
  const left = state.until - steadyClock.now()
  if (left > 0) throw new TryLater(left, { details: { network_code: null } })
  const jid = await ask(session, state, digits)
  state.known.set(digits, jid)
  for (const oldest of state.known.keys()) {
    if (state.known.size <= MAX_KNOWN) break
    state.known.delete(oldest)
  }
  return jid
}

async function ask(session: Session, state: LookUps, digits: string): Promise<string> {
  const { sock } = session
  const query = boundedQuery(sock, numberQuery(digits, sock.generateMessageTag()), QUERY_DEADLINE)
  const answer = await untilEnd(session, query).catch((error: unknown) => {
    const failure = sendFailure(error)
    if (failure.code === 'instance_not_connected') throw failure
    throw refusal(state, failure.code === 'send_timeout' ? null : networkCode(error), null, error)
  })
  const found = numberAnswer(answer)
  if (found.type === 'refused') throw refusal(state, found.code, found.backoffSeconds)
  state.pause = 0
  if (found.type === 'none') throw new Failure('phone_not_on_whatsapp')
  return bare(found.jid)
}

function refusal(state: LookUps, code: number | null, backoffSeconds: number | null, cause?: unknown): TryLater {
  const pause = Math.max(FIRST_PAUSE, 2 * state.pause, (backoffSeconds ?? 0) * SECOND)
  state.pause = Math.min(pause, LONGEST_PAUSE)
  state.until = steadyClock.now() + state.pause
  return new TryLater(state.pause, { details: { network_code: code }, cause })
}
