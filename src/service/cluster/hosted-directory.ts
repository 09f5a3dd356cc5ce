import type { Directory } from '../../directory/directory.ts'
import { type Clock, isRecent } from '../../domain/clock.ts'
import type { InstanceId } from '../../domain/ids.ts'
import type { Status } from '../../domain/instance.ts'
import type { MainRecords } from '../../storage/main-records/main-records.ts'
import type { HostedDirectory } from './contract.ts'

export interface HostedDirectoryDeps {
  directory: Pick<Directory, 'ids' | 'isKnown' | 'config' | 'state'>
  main: Pick<MainRecords, 'catchUp'>
  /** Whether a CLI command has stopped the instance for a while. */
  isPaused(instance: string): boolean
  clock: Clock
}

/** Statuses in which a stop would interrupt a person who pairs the instance, or a login. */
const UNSETTLED: ReadonlySet<Status> = new Set(['starting', 'qr', 'connecting'])

export const hostedDirectory = ({ directory, main, isPaused, clock }: HostedDirectoryDeps): HostedDirectory => ({
  ids: () => [...directory.ids()],
  has: directory.isKnown,
  config: directory.config,
  isPaused,
  isConnected: (instance) => directory.isKnown(instance) && directory.state(instance as InstanceId).status === 'connected',
  mayMove(instance, quietMs) {
    if (!directory.isKnown(instance) || isPaused(instance)) return false
    const { status, connectedAt } = directory.state(instance as InstanceId)
    return !UNSETTLED.has(status) && !isRecent(connectedAt, clock.now(), quietMs)
  },
  catchUp: main.catchUp,
})
