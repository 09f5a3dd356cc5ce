import { isSameHash } from '../account/credentials.ts'
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Ranges } from '../egress/addresses.ts'
import type { StateStore } from '../storage/contract.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createReadDocument } from './client-document.ts'
import { createClients } from './clients.ts'
import { createExpiring } from './expiring.ts'
import { createGrants } from './grants.ts'
import type { AuthorizationRequest, Consent, Oauth } from './oauth.ts'
import { appRecords, clientRecords } from './records.ts'
import { hashOf, isVerifierOf, newSecret } from './tokens.ts'

export interface OauthDeps {
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Log
  allow: Ranges
}

const CODE = MINUTE
const CONSENT = 10 * MINUTE
const MAX_CONSENTS = 1_000
const MAX_CODES = 1_000

interface Code {
  request: AuthorizationRequest
  workspace: WorkspaceId
  instance: InstanceId
  /** Set once the code is redeemed. Resolves with the id of the new app; undefined if there is none. */
  used?: Promise<string | undefined>
}

export function createOauth({ store, sealer, clock, log, allow }: OauthDeps): Oauth {
  const grants = createGrants({ store, records: appRecords(sealer), clock, log })
  const clients = createClients({
    store,
    records: clientRecords(sealer),
    clock,
    readDocument: createReadDocument({ allow, log }),
    isUsed: grants.isUsed,
  })
  const consents = createExpiring<Consent & { cookieHash: string }>({
    clock,
    ms: CONSENT,
    max: MAX_CONSENTS,
    ownerOf: ({ client }) => client.id,
  })
  const codes = createExpiring<Code>({ clock, ms: CODE, max: MAX_CODES })
  const { isUsed: _, make, end, load, ...apps } = grants

  /** Opens a consent page. `of` is the ticket of the previous page; the new one expires at the same time. */
  function opened(consent: Consent, of?: string): { ticket: string; cookie: string } {
    const ticket = newSecret()
    const cookie = newSecret()
    consents.set(hashOf(ticket), { ...consent, cookieHash: hashOf(cookie) }, of === undefined ? undefined : hashOf(of))
    return { ticket, cookie }
  }

  return {
    ...apps,

    async load() {
      await load()
      await clients.load()
    },

    register: clients.register,
    client: clients.find,
    knows: clients.knows,

    ask: (request) => opened({ ...request, owner: undefined }),

    consent(ticket, cookie) {
      const found = consents.get(hashOf(ticket))
      return found && isSameHash(found.cookieHash, hashOf(cookie)) ? found : undefined
    },

    identified(ticket, owner) {
      const found = consents.get(hashOf(ticket))
      // The previous consent stays valid, because a user who clicks twice sends the key twice.
      return found && opened({ ...found, owner }, ticket)
    },

    close: (ticket) => consents.delete(hashOf(ticket)),

    approve(request, grant) {
      const code = newSecret()
      codes.set(hashOf(code), { request, ...grant })
      return code
    },

    async redeem(value, { clientId, redirectUri, verifier }) {
      const code = codes.get(hashOf(value))
      if (!code) return undefined
      const { request, workspace, instance, used } = code
      if (used) {
        const app = await used
        if (app !== undefined) await end(app)
        return undefined
      }
      // The code counts as redeemed from now on, whatever the outcome is, so that a second request with it is detected.
      const isMeant =
        request.client.id === clientId && request.redirectUri === redirectUri && isVerifierOf(request.challenge, verifier)
      const making = isMeant ? make({ client: request.client, workspace, instance }) : undefined
      code.used = Promise.resolve(making).then(
        (made) => made?.id,
        () => undefined,
      )
      return (await making)?.tokens
    },

    endOf(of) {
      const { ops, committed } = apps.endOf(of)
      return {
        ops,
        committed() {
          committed()
          // These codes would otherwise create an app after all apps were revoked.
          codes.drop(({ instance, workspace }) => ('instance' in of ? instance === of.instance : workspace === of.workspace))
        },
      }
    },
  }
}
