import type { Log } from '../../domain/log.ts'
import type { StateStore } from '../contract.ts'
import type { MainRecords } from './main-records.ts'
import { ownRecords } from './own-records.ts'
import { sharedRecords } from './shared-records.ts'

export interface MainRecordsDeps {
  store: StateStore
  log: Log
}

export const createMainRecords = ({ store, log }: MainRecordsDeps): MainRecords =>
  store.changes === undefined ? ownRecords(store) : sharedRecords({ store, changes: store.changes, log })
