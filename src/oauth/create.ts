import { isSameHash } from '../account/credentials.ts'
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Ranges } from '../egress/addresses.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { StateStore } from '../storage/contract.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createReadDocument } from './client-document.ts'
import { createClients } from './clients.ts'
import { createGrants } from './grants.ts'
import type { AuthorizationRequest, Consent, Oauth, Tokens } from './oauth.ts'
import { appRecords, clientRecords, codeRecords, consentRecords, type StoredCode } from './records.ts'
import { commitParts, createShortLived } from './short-lived.ts'
import { CODE_LIFE, createStoredCodes } from './stored-codes.ts'
import { hashOf, isVerifierOf, newSecret } from './tokens.ts'

export interface OauthDeps {
  store: StateStore
  main: Pick<MainRecords, 'load' | 'change'>
  sealer: Sealer
  clock: Clock
  log: Log
  allow: Ranges
  /** Changes with the admin key of the workspace. */
  keyTagOf(workspace: WorkspaceId): string | undefined
  /** Reads changes of other services, and takes at most a moment. */
  catchUp(): Promise<void>
}

const CONSENT = 10 * MINUTE
const MAX_CONSENTS = 1_000

export function createOauth({ store, main, sealer, clock, log, allow, keyTagOf, catchUp }: OauthDeps): Oauth {
  const grants = createGrants({ main, store, records: appRecords(sealer), clock, log, catchUp })
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
  const codes = createStoredCodes({ main, records: codeRecords(sealer), clock, log })
  /** Steps with one page or one code run one after the other. */
  const mutex = createKeyedMutex()
  const { isUsed: _, make, end, removal, load, stop, ...apps } = grants

  /** `until` is the end of the page in epoch ms. */
  async function opened(consent: Consent, until: number): Promise<{ ticket: string; cookie: string }> {
    const ticket = newSecret()
    const cookie = newSecret()
    await commitParts(store, [consents.adding(hashOf(ticket), { ...consent, cookieHash: hashOf(cookie), until })])
    return { ticket, cookie }
  }

  const isOfKey = ({ keyTag, workspace }: StoredCode) => keyTag === null || keyTagOf(workspace) === keyTag

  async function redeem(
    id: string,
    { clientId, redirectUri, verifier }: Parameters<Oauth['redeem']>[1],
  ): Promise<Tokens | undefined> {
    const found = codes.find(id)
    if (!found) return undefined
    const { client, ...request } = found.request
    const isMeant = client.id === clientId && request.redirectUri === redirectUri && isVerifierOf(request.challenge, verifier)
    return make({ client, workspace: found.workspace, instance: found.instance }, async ({ id: app, tokens, op }) => {
      let isMade = false
      await main.change(() => {
        isMade = false
        const code = codes.find(id)
        if (!code) return { ops: [] }
        if (code.isUsed) return { ops: code.app === null ? [] : [removal(code.app)] }
        isMade = isMeant && isOfKey(code)
        // The code counts as used whatever the outcome is, so that a second request with it is detected.
        const used = codes.changing(id, { ...code, isUsed: true, app: isMade ? app : null })
        return { ops: isMade ? [used, op] : [used] }
      })
      if (!isMade) return undefined
      // The admin key may have been replaced, or the instance deleted, while the app was stored.
      if (isOfKey(found) && (await store.get(keys.config(found.instance))) !== undefined) return tokens
      await end(app)
      return undefined
    })
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
      return found && isSameHash(found.cookieHash, hashOf(cookie)) ? found : undefined
    },

    async identified(ticket, owner) {
      const found = await consents.find(hashOf(ticket))
      // The previous consent stays valid, because a user who clicks twice sends the key twice.
      return found && opened({ ...found, owner }, found.until)
    },

    async close(ticket) {
      await commitParts(store, [consents.removing(hashOf(ticket))])
    },

    async approve(ticket, grant) {
      const page = hashOf(ticket)
      const code = newSecret()
      let isApproved = false
      const decide = async () => {
        isApproved = false
        const found = await consents.find(page)
        const keyTag = found?.owner?.keyTag ?? null
        if (!found || (keyTag !== null && keyTagOf(grant.workspace) !== keyTag)) return { ops: [] }
        isApproved = true
        const until = clock.now() + CODE_LIFE
        const record = { ...grant, keyTag, request: requestOf(found), until, isUsed: false, app: null }
        return {
          ops: [consents.removal(page), ...codes.adding(hashOf(code), record)],
          committed: () => consents.forget(page),
        }
      }
      await mutex.run(page, () => main.change(decide))
      return isApproved ? code : undefined
    },

    async redeem(value, of) {
      const id = hashOf(value)
      // Another service may have given out the code a moment ago.
      if (codes.find(id) === undefined) await catchUp()
      return mutex.run(id, () => redeem(id, of))
    },

    endOf(of) {
      // Codes would otherwise create an app after all apps were revoked.
      const ending = codes.removals(({ workspace, instance }) =>
        'instance' in of ? instance === of.instance : workspace === of.workspace,
      )
      return { ops: [...apps.endOf(of).ops, ...ending] }
    },

    async stop() {
      consents.stop()
      codes.stop()
      await mutex.idle()
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
