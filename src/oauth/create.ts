import { isSameHash } from '../account/credentials.ts'
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Ranges } from '../egress/addresses.ts'
import type { Batch, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createReadDocument } from './client-document.ts'
import { createClients } from './clients.ts'
import { createGrants } from './grants.ts'
import type { AuthorizationRequest, Consent, Oauth } from './oauth.ts'
import { appRecords, clientRecords, codeRecords, consentRecords } from './records.ts'
import { commitParts, createShortLived } from './short-lived.ts'
import { hashOf, isVerifierOf, newSecret } from './tokens.ts'

export interface OauthDeps {
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Log
  allow: Ranges
  /** Changes with the admin key of the workspace. */
  keyTagOf(workspace: WorkspaceId): string | undefined
}

const CODE = MINUTE
const CONSENT = 10 * MINUTE
const MAX_CONSENTS = 1_000
const MAX_CODES = 1_000

export function createOauth({ store, sealer, clock, log, allow, keyTagOf }: OauthDeps): Oauth {
  const grants = createGrants({ store, records: appRecords(sealer), clock, log })
  const clients = createClients({
    store,
    records: clientRecords(sealer),
    clock,
    readDocument: createReadDocument({ allow, log }),
    isUsed: grants.isUsed,
  })
  const consents = createShortLived({
    store,
    records: consentRecords(sealer),
    prefix: keys.oauthConsents,
    clock,
    log,
    lifeMs: CONSENT,
    max: MAX_CONSENTS,
    labelsOf: ({ client }) => ({ owner: client.id }),
  })
  const codes = createShortLived({
    store,
    records: codeRecords(sealer),
    prefix: keys.oauthCodes,
    clock,
    log,
    lifeMs: CODE,
    max: MAX_CODES,
    labelsOf: ({ workspace, instance }) => ({ owner: workspace, instance }),
  })
  const { isUsed: _, make, end, load, stop, ...apps } = grants

  /** `until` is the end of the page in epoch ms. */
  async function opened(consent: Consent, until: number): Promise<{ ticket: string; cookie: string }> {
    const ticket = newSecret()
    const cookie = newSecret()
    await commitParts(store, [consents.adding(hashOf(ticket), { ...consent, cookieHash: hashOf(cookie), until })])
    return { ticket, cookie }
  }

  const redeem: Oauth['redeem'] = async (value, of) => {
    const { clientId, redirectUri, verifier } = of
    const id = hashOf(value)
    const found = await codes.find(id)
    if (!found) return undefined
    const { value: code, guard } = found
    const { client, ...request } = code.request
    if (code.isUsed) {
      if (code.app !== null) await end(code.app)
      return undefined
    }
    // The admin key may be replaced while the page is approved or the code is redeemed, also by somebody who wants to
    // revoke all apps.
    const isOfKey = () => code.keyTag === null || keyTagOf(code.workspace) === code.keyTag
    let made = null as string | null
    /** The code counts as used whatever the outcome is, so that a second request with it is detected. */
    const used = (app: string | null): Batch => {
      made = app
      return { guard, ops: [codes.changing(id, { ...code, isUsed: true, app })] }
    }
    const isMeant =
      isOfKey() && client.id === clientId && request.redirectUri === redirectUri && isVerifierOf(request.challenge, verifier)
    if (isMeant) {
      const tokens = await make({ client, workspace: code.workspace, instance: code.instance }, used)
      if (tokens && isOfKey()) return tokens
      if (tokens && made !== null) {
        await end(made)
        return undefined
      }
    } else if (await store.commit(used(null))) return undefined
    // Another request has used the code in the meantime, perhaps in another process.
    return redeem(value, of)
  }

  return {
    ...apps,

    async load() {
      await load()
      await clients.load()
      await consents.load()
      await codes.load()
    },

    register: clients.register,
    client: clients.find,
    knows: clients.knows,

    ask: (request) => opened({ ...requestOf(request), owner: undefined }, clock.now() + CONSENT),

    async consent(ticket, cookie) {
      const found = await consents.find(hashOf(ticket))
      return found && isSameHash(found.value.cookieHash, hashOf(cookie)) ? found.value : undefined
    },

    async identified(ticket, owner) {
      const found = await consents.find(hashOf(ticket))
      // The previous consent stays valid, because a user who clicks twice sends the key twice.
      return found && opened({ ...found.value, owner }, found.value.until)
    },

    async close(ticket) {
      await commitParts(store, [consents.removing(hashOf(ticket))])
    },

    async approve(ticket, grant) {
      const page = hashOf(ticket)
      const found = await consents.find(page)
      if (!found) return undefined
      const code = newSecret()
      const { owner } = found.value
      const record = {
        ...grant,
        keyTag: owner?.keyTag ?? null,
        request: requestOf(found.value),
        until: clock.now() + CODE,
        isUsed: false,
        app: null,
      }
      const isStored = await commitParts(store, [consents.removing(page), codes.adding(hashOf(code), record)], found.guard)
      return isStored ? code : undefined
    },

    redeem,

    endOf(of) {
      // Codes would otherwise create an app after all apps were revoked.
      const endings = [
        apps.endOf(of),
        codes.ending(({ owner, instance }) => ('instance' in of ? instance === of.instance : owner === of.workspace)),
      ]
      return {
        ops: endings.flatMap(({ ops }) => ops),
        committed: () => endings.forEach(({ committed }) => void committed()),
      }
    },

    async stop() {
      consents.stop()
      codes.stop()
      await stop()
    },
  }
}

/** A consent has more properties, and the URIs of a client are not needed once the request was checked. */
const requestOf = ({ client: { id, name }, redirectUri, challenge, state }: AuthorizationRequest): AuthorizationRequest => ({
  client: { id, name },
  redirectUri,
  challenge,
  state,
})
