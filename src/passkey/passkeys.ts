/**
 * Linking with a passkey in the main thread: the state of the ceremony, and the tickets of browser extensions. The
 * holder of a ticket can read and answer one challenge.
 */
import { randomBytes } from 'node:crypto'
import { iso, MINUTE } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { PasskeyReport, Passkeys } from '../domain/passkey.ts'
import type { Engine } from '../engine/engine.ts'
import { boundedCache } from '../lib/bounded-cache.ts'
import { sha256 } from '../lib/sha256.ts'
import { createTickets, type TicketsDeps } from './tickets.ts'

const LIFE = 10 * MINUTE
const TICKET_BYTES = 32
const MAX_REFUSED = 3
/**
 * Address of WhatsApp Web to which the ticket is added as the fragment. The extension removes the fragment before any
 * script of the page runs.
 */
const OPENED = 'https://web.whatsapp.com/#svc-passkey='
const VERSION = 1
/** Maximum number of instances for which the service remembers that the extension was used. */
const MAX_SEEN = 10_000

export interface PasskeyDeps extends TicketsDeps {
  engine: Pick<Engine, 'call'>
}

export async function createPasskeys({ engine, ...deps }: PasskeyDeps): Promise<Passkeys> {
  const { clock } = deps
  const tickets = createTickets(deps, LIFE)
  await tickets.load()
  const seen = boundedCache<InstanceId, string>(MAX_SEEN)

  const hashOf = (ticket: string) => sha256(ticket, 'base64url')

  /**
   * Returns the state of the ceremony from the shard thread. The last state that the main thread knows may be too old
   * to refuse the holder of a connect link.
   */
  const reportOf = (instance: InstanceId, isStranger: boolean): Promise<PasskeyReport> =>
    engine.call(instance, {
      kind: 'control',
      operation: 'instance.passkeyState',
      input: {},
      ...(isStranger ? { ifUnpaired: true } : {}),
    })

  const found = (ticket: string) => tickets.get(hashOf(ticket))

  return {
    async state(instance, { isStranger }) {
      const { ceremony, ...state } = await reportOf(instance, isStranger)
      if (ceremony === null) seen.delete(instance)
      return { ...state, helper_seen: ceremony !== null && seen.get(instance) === ceremony }
    },

    async ticket(instance, baseUrl, { isStranger }) {
      const { ceremony, public_key, expires_at } = await reportOf(instance, isStranger)
      if (ceremony === null || public_key === null || expires_at === null) throw new Failure('passkey_not_pending')
      const ticket = randomBytes(TICKET_BYTES).toString('base64url')
      const lifeMs = Math.min(LIFE, Date.parse(expires_at) - clock.now())
      await tickets.add(hashOf(ticket), { instance, ceremony, challenge: public_key.challenge, isStranger }, lifeMs)
      const opened = JSON.stringify({ v: VERSION, u: `${baseUrl}/passkey`, t: ticket })
      return {
        ticket,
        expires_at: iso(clock.now() + lifeMs),
        open_url: OPENED + Buffer.from(opened).toString('base64url'),
      }
    },

    find: (ticket) => found(ticket)?.instance,

    async open(ticket) {
      const known = found(ticket)
      if (!known) return undefined
      const { ceremony, public_key, expires_at } = await reportOf(known.instance, known.isStranger)
      const isCurrent = ceremony === known.ceremony && public_key?.challenge === known.challenge
      if (!isCurrent || public_key === null || expires_at === null) {
        tickets.remove(hashOf(ticket))
        return undefined
      }
      seen.set(known.instance, ceremony)
      return { instance: known.instance, isStranger: known.isStranger, public_key, expires_at }
    },

    refused(ticket) {
      const known = found(ticket)
      if (known && ++known.refused >= MAX_REFUSED) tickets.remove(hashOf(ticket))
    },

    spent: (ticket) => tickets.remove(hashOf(ticket)),
  }
}
