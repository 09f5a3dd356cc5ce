import type { Clock } from '../../domain/clock.ts'
import type { InstanceConfig } from '../../domain/instance.ts'
import type { Log } from '../../domain/log.ts'
import type { StartHow } from '../../engine/engine.ts'
import type { Tally } from '../../metrics/tally.ts'
import type { StateStore } from '../../storage/contract.ts'
import type { Homes } from '../../storage/homes.ts'
import type { KeyRing } from '../../storage/key-ring.ts'
import type { Member, Members } from '../../storage/members.ts'
import type { HomeMap } from './home-map.ts'

export interface ClusterHostingDeps {
  /** Id of this member. */
  self: string
  homes: Homes
  members: Pick<Members, 'others' | 'onLook'>
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
  /** Maximum number of sessions that a member starts per second on one network route. */
  startsPerSecond: number
  /**
   * Finishes the interrupted creation, deletion or import of instances that this member has and that have no
   * configuration. Rejects if one must be tried again.
   */
  erase(instances: readonly string[]): Promise<unknown>
  /** Asks another member to look at once for instances that it should claim. Never rejects. */
  askToLook(member: Member): Promise<unknown>
  /** Counts moves and claims. */
  tally: Pick<Tally, 'add'>
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
  /** Whether a CLI command has stopped the instance for a while. */
  isPaused(instance: string): boolean
  /** Whether the session of the instance is open, at whichever member. */
  isConnected(instance: string): boolean
  /** False while the instance is starting, is being paired or is paused, and for `quietMs` after it was connected. */
  mayMove(instance: string, quietMs: number): boolean
  /** Reads the changes that other members have made. */
  catchUp(): Promise<unknown>
}

/** Times in milliseconds. */
export interface HostingTimes {
  /**
   * Time within which the preferred member of an instance without a home must claim it. After this time, any member
   * claims the instance.
   */
  patience: number
  /**
   * Time after which a member claims the rest of its share. Before, it claims what it can start soon, and what was
   * released to it.
   */
  shareAfter: number
  balanceEvery: number
  /**
   * Time after a change of members in which no instance is given away. An instance also stays for this time after it
   * was connected, and a member gets no instance for this time after it has given one away.
   */
  quiet: number
  /** Time after which a member gives an instance that it could not start to another member. */
  giveUpAfter: number
  /**
   * Time for which a member leaves an instance that it could not start to the other members. The time doubles each time
   * that the member soon gets the instance again and cannot start it.
   */
  keepAway: number
  /**
   * Pause between two moves when a member gives all its instances away. The other members start sessions one after the
   * other, so instances that move faster would only wait.
   */
  drainEvery: number
  /** Maximum time for which a member waits for its first claim before it serves requests. */
  beginWithin: number
}
