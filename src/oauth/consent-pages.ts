/**
 * Pages on which a user allows an app to use an instance. A page can be used only with the ticket in its form and the
 * cookie of its browser.
 */
import { isSameHash } from '../account/credentials.ts'
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { AuthorizationRequest, Consent, Oauth } from './oauth.ts'
import { consentRecords } from './records.ts'
import { commitParts, createShortLived } from './short-lived.ts'
import { hashOf, newSecret } from './tokens.ts'

export interface ConsentPagesDeps {
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Log
}

const LIFE = 10 * MINUTE
const MAX = 1_000

type Asked = Pick<Oauth, 'ask' | 'consent' | 'identified' | 'close'>

export function createConsentPages({ store, sealer, clock, log }: ConsentPagesDeps) {
  const consents = createShortLived({
    store,
    records: consentRecords(sealer),
    prefix: keys.oauthConsents,
    clock,
    log,
    lifeMs: LIFE,
    max: MAX,
    labelsOf: ({ client }) => ({ owner: client.id }),
  })

  /** Opens a page. `until` is the time in epoch ms at which the page expires. */
  async function opened(consent: Consent, until: number): Promise<{ ticket: string; cookie: string }> {
    const ticket = newSecret()
    const cookie = newSecret()
    await commitParts(store, [consents.adding(hashOf(ticket), { ...consent, cookieHash: hashOf(cookie), until })])
    return { ticket, cookie }
  }

  const asked: Asked = {
    ask: (request) => opened({ ...requestOf(request), owner: undefined }, clock.now() + LIFE),

    async consent(ticket, cookie) {
      const found = await consents.find(hashOf(ticket))
      return found && isSameHash(found.cookieHash, hashOf(cookie)) ? found : undefined
    },

    async identified(ticket, owner) {
      const found = await consents.find(hashOf(ticket))
      // The previous ticket stays valid, because a user who clicks twice sends the key twice.
      return found && opened({ ...found, owner }, found.until)
    },

    async close(ticket) {
      await commitParts(store, [consents.removing(hashOf(ticket))])
    },
  }

  const { find, removal, forget, load, stop } = consents
  return { ...asked, find, removal, forget, load, stop }
}

/**
 * Copies only the properties of an authorization request, without those of a consent and the redirect URIs of the
 * client.
 */
export const requestOf = ({
  client: { id, name },
  redirectUri,
  challenge,
  state,
}: AuthorizationRequest): AuthorizationRequest => ({
  client: { id, name },
  redirectUri,
  challenge,
  state,
})
