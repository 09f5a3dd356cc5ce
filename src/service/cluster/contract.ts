import type { Clock } from '../../domain/clock.ts'
import type { InstanceConfig } from '../../domain/instance.ts'
import type { Log } from '../../domain/log.ts'
import type { StartHow } from '../../engine/engine.ts'
import type { StateStore } from '../../storage/contract.ts'
import type { Homes } from '../../storage/homes.ts'
import type { KeyRing } from '../../storage/key-ring.ts'
import type { Member, Members } from '../../storage/members.ts'
import type { HomeMap } from './home-map.ts'

export interface ClusterHostingDeps {
  /** Id of this member. */
  self: string
  homes: Homes
  members: Members
  map: HomeMap
  store: Pick<StateStore, 'get'>
  keyRing: Pick<KeyRing, 'learn'>
  directory: HostedDirectory
  /** Must handle failures itself. Resolves when the instance runs or could not be started. */
  start(config: InstanceConfig, how: StartAgain): Promise<unknown>
  /** Stops the instance without a logout. When it resolves, no thread can write its records. */
  stop(instance: string): Promise<void>
  /** Whether calls for the instance are under way. Such instances are given away last. */
  isBusy?(instance: string): boolean
  /** Whether a thread of this service runs the instance or will start it. */
  isHosted(instance: string): boolean
  /** False while no thread of this service runs. */
  canStart?(): boolean
  /** Milliseconds for which no thread could start the instance; undefined if one has started it, or will soon. */
  failingFor?(instance: string): number | undefined
  /**
   * Finishes what was interrupted with instances of this member that have no configuration: a creation, a deletion or an
   * import. Rejects if that must be tried again.
   */
  erase(instances: readonly string[]): Promise<unknown>
  /** Asks another member to look at once for what it should claim. Never rejects. */
  askToLook(member: Member): Promise<unknown>
  clock: Clock
  log: Log
  times?: Partial<HostingTimes>
}

export type StartAgain = Exclude<StartHow, 'create'>

/** The configurations of all instances of the cluster, as this member knows them. */
export interface HostedDirectory {
  ids(): readonly string[]
  has(instance: string): boolean
  /** Throws for an unknown id. */
  config(instance: string): InstanceConfig
  /** Whether a CLI command has stopped it for a while. */
  isPaused(instance: string): boolean
  /** False while its session just starts, while it is being paired, and for `quietMs` after it was connected. */
  mayMove(instance: string, quietMs: number): boolean
  /** Reads the changes that other members have made. */
  catchUp(): Promise<unknown>
}

/** All in milliseconds. */
export interface HostingTimes {
  /** Each instance without a home has a preferred member. If that one has not claimed it within this time, any member does. */
  patience: number
  /** A member first claims only what it can start soon, and the rest of its share after this time. */
  shareAfter: number
  balanceEvery: number
  /**
   * Within this time after a change of members no instance is given, nor one that was connected in this time, nor any to a
   * member that has given one away itself.
   */
  quiet: number
  /** Within this time a member must have started an instance, or it gives it to another one. */
  giveUpAfter: number
  /** For this long a member leaves an instance that it could not start to the others. */
  keepAway: number
  /** Interval between two moves of a drain; the other members start their sessions. */
  drainEvery: number
  /** At most for the first claim of a member before it serves requests. */
  beginWithin: number
}
