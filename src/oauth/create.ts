import type { Clock } from '../domain/clock.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Ranges } from '../egress/addresses.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { StateStore } from '../storage/contract.ts'
import { createLatestUses } from '../storage/latest-uses.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createReadDocument } from './client-document.ts'
import { createClients } from './clients.ts'
import { createConsentPages, requestOf } from './consent-pages.ts'
import { createGrants } from './grants.ts'
import type { Oauth, Tokens } from './oauth.ts'
import { appRecords, clientRecords, codeRecords, type StoredCode } from './records.ts'
import { CODE_LIFE, createStoredCodes } from './stored-codes.ts'
import { hashOf, isVerifierOf, newSecret } from './tokens.ts'

export interface OauthDeps {
  store: StateStore
  main: Pick<MainRecords, 'load' | 'change' | 'isShared'>
  sealer: Sealer
  clock: Clock
  log: Log
  allow: Ranges
  /** Returns a value that changes with the admin key of the workspace. */
  keyTagOf(workspace: WorkspaceId): string | undefined
  /** Resolves when the running changes of the workspace are in memory. */
  settled(workspace: WorkspaceId): Promise<void>
  /** Reads changes of other services. */
  catchUp(): Promise<void>
}

export function createOauth({ store, main, sealer, clock, log, allow, keyTagOf, settled, catchUp }: OauthDeps): Oauth {
  const { isShared } = main
  const uses = createLatestUses({ store, prefix: keys.oauthAppUses, sealer })
  const grants = createGrants({ main, store, uses, isShared, records: appRecords(sealer), clock, log, catchUp })
  const clients = createClients({
    store,
    records: clientRecords(sealer),
    clock,
    isShared,
    readDocument: createReadDocument({ allow, log }),
    isUsed: grants.isUsed,
  })
  const pages = createConsentPages({ store, sealer, clock, log })
  const codes = createStoredCodes({ main, records: codeRecords(sealer), clock, log })
  /** Steps that use the same page or the same code run one after the other. */
  const mutex = createKeyedMutex()
  const { isUsed: _, make, end, removal, load, stop, ...apps } = grants

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
        if (code.isUsed) return { ops: code.app === null ? [] : removal(code.app) }
        isMade = isMeant && isOfKey(code)
        // The code counts as used even if the attempt fails, so that a second attempt is detected.
        const used = codes.changing(id, { ...code, isUsed: true, app: isMade ? app : null })
        return { ops: isMade ? [used, op] : [used] }
      })
      if (!isMade) return undefined
      // While the app was not in memory yet, another change may have replaced the admin key or deleted the instance
      // without ending the app. So both are checked after that change.
      await settled(found.workspace)
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
      await pages.load()
      await codes.load()
    },

    register: clients.register,
    client: clients.find,
    knows: clients.knows,

    ask: pages.ask,
    consent: pages.consent,
    identified: pages.identified,
    close: pages.close,

    async approve(ticket, grant) {
      const page = hashOf(ticket)
      const code = newSecret()
      let isApproved = false
      const decide = async () => {
        isApproved = false
        const found = await pages.find(page)
        const keyTag = found?.owner?.keyTag ?? null
        if (!found || (keyTag !== null && keyTagOf(grant.workspace) !== keyTag)) return { ops: [] }
        isApproved = true
        const until = clock.now() + CODE_LIFE
        const record = { ...grant, keyTag, request: requestOf(found), until, isUsed: false, app: null }
        return {
          ops: [pages.removal(page), ...codes.adding(hashOf(code), record)],
          committed: () => pages.forget(page),
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
      // Codes are removed too, because a client could otherwise redeem one after all apps were revoked.
      const ending = codes.removals(({ workspace, instance }) =>
        'instance' in of ? instance === of.instance : workspace === of.workspace,
      )
      return { ops: [...apps.endOf(of).ops, ...ending] }
    },

    async stop() {
      pages.stop()
      codes.stop()
      await mutex.idle()
      await stop()
    },
  }
}
