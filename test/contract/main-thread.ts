/** Opens the parts of a main thread that keep records in memory, on a store that other main threads use too. */
import assert from 'node:assert/strict'
import { createDashboardSessions } from '../../src/account/dashboard-sessions.ts'
import { keepSessions } from '../../src/account/session-records.ts'
import { createStoredAccount } from '../../src/account/stored-account.ts'
import { createConnectLinks } from '../../src/connect/connect-links.ts'
import { createInstanceDirectory, type DirectoryDeps } from '../../src/directory/instance-directory.ts'
import type { Log } from '../../src/domain/log.ts'
import type { Steps } from '../../src/domain/steps.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import { createOauth } from '../../src/oauth/create.ts'
import { createPasskeys } from '../../src/passkey/passkeys.ts'
import type { ChangeFeed } from '../../src/storage/contract.ts'
import { type KeyRing, openKeyRing } from '../../src/storage/key-ring.ts'
import { sharedRecords } from '../../src/storage/main-records/shared-records.ts'
import type { Member } from '../../src/storage/members.ts'
import { type OpenStore, openStore } from '../../src/storage/open-store.ts'
import { membersOf } from '../unit/storage/fixtures.ts'
import { doubleEngine } from './http/service.ts'

export const SECRET_KEY = new Uint8Array(32).fill(1)
const ADMIN_KEY = `svc_admin_${'a'.repeat(48)}`

export const silent: Log = {
  info() {},
  warn() {},
  error: (fields: object, message: string) => assert.fail(`${message} ${JSON.stringify(fields)}`),
}

export interface MainOptions {
  log?: Log
  /** Replaces functions of the change feed, so that answers of the database arrive late. */
  late?: (changes: ChangeFeed) => Partial<ChangeFeed>
  patienceMs?: number
  steps?: Steps
  /** Opens a real engine. Without it, a double is used. */
  open?: (parts: { store: OpenStore; keyRing: KeyRing }) => Promise<Pick<DirectoryDeps, 'engine' | 'cluster'>>
  /** Other members of the cluster. Absent if the service is not a member of a cluster. */
  others?: readonly Member[]
}

export async function openMain(url: string, { log = silent, late, steps, open, others, ...options }: MainOptions = {}) {
  const opened = await openStore(url)
  const store = others === undefined ? opened : { ...opened, members: membersOf(() => others) }
  const changes = store.changes!
  const main = sharedRecords({ store, changes: { ...changes, ...late?.(changes) }, log, ...options })
  const keyRing = await openKeyRing(store, SECRET_KEY)
  const sealer = keyRing.main
  const time = { ahead: 0 }
  const clock = { now: () => Date.now() + time.ahead }
  const account = createStoredAccount({ main, store, sealer, clock, log, adminKey: ADMIN_KEY, instanceSlots: null })
  await account.load()
  const double = doubleEngine()
  const { engine, cluster } = (await open?.({ store, keyRing })) ?? { engine: double.engine, cluster: undefined }
  const { adminKeyTag: keyTagOf, settled, catchUp } = account
  const oauth = createOauth({ store, main, sealer, clock, log, allow: parseRanges([]), keyTagOf, settled, catchUp })
  await oauth.load()
  const directory = createInstanceDirectory({
    store,
    main,
    sealer,
    keyRing,
    account,
    oauth,
    engine,
    cluster,
    clock,
    log,
    checkUrl: () => undefined,
    checkProxy: () => undefined,
    createWaitMs: 0,
    ...(steps && { steps }),
  })
  await directory.load()
  const sessions = () => createDashboardSessions({ account, clock, kept: keepSessions({ main, sealer, log }), log })
  async function connectLinks() {
    const links = createConnectLinks({ store, main, sealer, engine: double.engine, directory, clock, log })
    await links.load()
    return links
  }
  const passkeys = () => createPasskeys({ engine: double.engine, clock, steady: clock, shared: { main, sealer, log } })
  return {
    store,
    main,
    keyRing,
    sealer,
    account,
    oauth,
    directory,
    configured: double.configured,
    calls: double.calls,
    sessions,
    connectLinks,
    passkeys,
    time,
    workspace: account.findAdmin(ADMIN_KEY)!,
  }
}
export type Running = Awaited<ReturnType<typeof openMain>>
