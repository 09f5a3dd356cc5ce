/** Loads the records that the main thread keeps in memory: the account and the apps that may use the tools. */
import type { Account } from '../account/account.ts'
import { createStoredAccount } from '../account/stored-account.ts'
import type { Config } from '../config.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import { parseRanges } from '../egress/addresses.ts'
import type { Logger } from '../log.ts'
import { createOauth } from '../oauth/create.ts'
import type { Oauth } from '../oauth/oauth.ts'
import { createMainRecords } from '../storage/main-records/create-main-records.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface OpenRecordsDeps {
  log: Logger
  shutdown: Shutdown
  storage: Pick<ServiceStorage, 'store' | 'sealer'>
  clock: Clock
}

export interface ServiceRecords {
  main: MainRecords
  account: Account
  oauth: Oauth
}

/** Interval in ms at which changes of other services are read. */
const FOLLOW_EVERY = SECOND

export async function openRecords(
  { adminKey, instanceSlots, egressAllow }: Config,
  { log, shutdown, storage: { store, sealer }, clock }: OpenRecordsDeps,
): Promise<ServiceRecords> {
  const main = createMainRecords({ store, log })
  const account = createStoredAccount({ main, store, sealer, clock, log, adminKey, instanceSlots })
  await account.load()
  shutdown.add(() => main.idle())
  shutdown.add(main.follow(FOLLOW_EVERY))
  shutdown.add(() => account.stop())
  const { adminKeyTag: keyTagOf, settled, catchUp } = account
  const allow = parseRanges(egressAllow)
  const oauth = createOauth({ store, main, sealer, clock, log, allow, keyTagOf, settled, catchUp })
  await oauth.load()
  shutdown.add(() => oauth.stop())
  return { main, account, oauth }
}
