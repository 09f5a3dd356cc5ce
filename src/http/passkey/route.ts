/** `/passkey`: with a ticket, a browser extension reads the challenge and submits the assertion. */
import type { Context, Hono } from 'hono'
import { steadyClock } from '../../domain/clock.ts'
import { Failure, type FailureCode } from '../../domain/failures.ts'
import type { PasskeyOffer } from '../../domain/passkey.ts'
import { passkeyResponse } from '../../features/passkey.ts'
import { readRequest, routeOf } from '../../features/requests.ts'
import { receiveBody, wholeOf } from '../body.ts'
import { carryOut } from '../carry-out.ts'
import { IGNORED_HEADER, ignoredFieldsValue } from '../ignored-fields.ts'
import { accessRequestOf, type Env, type MountDeps } from '../mount.ts'
import { TICKET_HEADER } from '../open-checks.ts'
import { ANYBODY, METHODS, preflightResponse } from './cors.ts'

const PATH = '/passkey'
const RESPONSE = routeOf(passkeyResponse)

/** Codes of the failures that count against the attempts of the ticket. */
const REFUSED: ReadonlySet<FailureCode> = new Set(['invalid_request', 'action_failed', 'send_timeout'])

export function mountPasskey(app: Hono<Env>, deps: MountDeps): void {
  const { gate, parts } = deps
  const { passkeys } = parts

  /** Submits an assertion. The ticket was already checked, so the body of a caller without a ticket is dropped. */
  async function respond(c: Context<Env>, { instance, isStranger }: PasskeyOffer) {
    const { requestId, source, headers } = c.get('state')
    const memory = deps.bodies.lease(instance)
    try {
      const body = await wholeOf(await receiveBody(c.req.raw, memory, deps.source, steadyClock, passkeyResponse.maxBody))
      const { input } = readRequest(RESPONSE, { path: {}, body }, (names) => {
        const value = ignoredFieldsValue(names)
        if (value !== undefined) headers[IGNORED_HEADER.name] = value
      })
      const caller = { instance, ...(isStranger ? { isStranger } : {}) }
      return await carryOut(passkeyResponse, caller, input, { request: c.req.raw, source, origin: { requestId } }, deps)
    } finally {
      memory.release()
    }
  }

  async function answered(c: Context<Env>, offer: PasskeyOffer, ticket: string): Promise<Response> {
    try {
      const reply = await respond(c, offer)
      passkeys.spent(ticket)
      return Response.json(reply)
    } catch (error) {
      if (error instanceof Failure && REFUSED.has(error.code)) passkeys.refused(ticket)
      throw error
    }
  }

  app.all(PATH, async (c) => {
    const state = c.get('state')
    state.route = PATH
    Object.assign(state.headers, ANYBODY)
    const { method } = c.req.raw
    if (method === 'OPTIONS') return preflightResponse()
    if (method !== 'GET' && method !== 'POST') return new Response(null, { status: 405, headers: { Allow: METHODS } })
    const incoming = accessRequestOf(c)
    // A ticket that is not in memory may have been made by another member of the cluster a moment ago.
    if (passkeys.find(c.req.header(TICKET_HEADER) ?? '') === undefined && gate.mayCatchUp(state.source))
      await parts.account.catchUp()
    const { instance, ticket } = gate.ticket(passkeys.find, incoming)
    const offer = await passkeys.open(ticket)
    if (offer === undefined) return gate.staleTicket(incoming)
    if (method === 'POST') return answered(c, offer, ticket)
    const name = offer.isStranger ? '' : parts.directory.render(instance, '').name
    return Response.json({ name, public_key: offer.public_key, expires_at: offer.expires_at })
  })
}
