/**
 * The parts of a store besides the driver of its records: folders, keys, owner, size and backup. Each kind of store has
 * a backend (`backends/`).
 */
import type { Driver, Storage } from 'unstorage'
import type { ServiceNode } from '../domain/nodes.ts'
import type { StandbyAddress } from '../domain/standby-address.ts'
import type { BlobDriver } from './blobs/items.ts'
import type { StateStore } from './contract.ts'
import type { Claims } from './drivers/lmdb-room.ts'
import type { Homes } from './homes.ts'
import type { KeyTable } from './key-table.ts'
import type { ClusterOptions, Members } from './members.ts'
import type { LeaseMoment } from './shared-lease.ts'

export interface Backend {
  /** Name of the store for messages: its folder, or its server, database and schema, never a password. */
  shown: string
  /** True if a generated secret key could not be stored, so that the operator must give the key (SVC_SECRET_KEY). */
  needsSecretKey: boolean
  /**
   * Creates the folders of the service and of the store. Throws a sentence that names the variable if a folder cannot
   * be used.
   */
  makeFolders(dataDir: string): Promise<void>
  exists(): Promise<boolean>
  /**
   * Throws a sentence for the operator if the store is damaged; `onUnknown` is called if the check was not possible.
   */
  refuseDamaged(onUnknown: (problem: string) => void): Promise<void>
  /**
   * Counts the records, and checks all of them if the store is in files. Throws a sentence for the operator if the
   * store is damaged, and `NoStore` if it does not exist.
   */
  check(): Promise<CheckedStore>
  open(options: OpenOptions): Promise<StateDriver & OpenParts>
  /** Resolves when no other service owns the store. Absent if only this machine can use the store. */
  waitForTurn?(options: TurnOptions): Promise<Turn>
}

export interface Turn {
  link: unknown
  /** Name of the service that was active before, if known. */
  former?: string | undefined
}

/** This run of the service, as the other services of the store see it. */
export interface OwnNode {
  id: string
  name: string
  release: string
  /** Host at which the others reach this service. If undefined, they use the address that the store sees. */
  host?: string | undefined
  /**
   * Port at which the owner of the store asks this service whether it can reach the store. The owner asks only while
   * this service is a standby.
   */
  port?: number | undefined
  /** Port of the link between services; undefined if it has none. */
  peerPort?: number | undefined
}

/** The service that owns a store: its id, and the name of its machine, if known. */
export interface Owner {
  id: string | undefined
  name: string | undefined
  /**
   * Address to which standbys pass requests on. Undefined if the owner has no link, or no row in the store, for example
   * while it is connecting again.
   */
  linkAddress?: StandbyAddress | undefined
}

export interface TurnOptions {
  threads: number
  node: OwnNode
  /** Ends the wait if it is aborted. The wait then rejects with the reason of the signal. */
  signal: AbortSignal
  onWaiting(owner: Owner): void
  /** Returns true if this service may be listed as a standby. If absent, it may. */
  isReady?(): boolean
  /** Called when the store begins to refuse the row that lists this service. Lists then do not show that it runs. */
  onUnlisted?(cause: unknown): void
  /** Called each time that this process tries to become the owner, which can take seconds. */
  onTaking(): void
  onFailed(cause: unknown): void
  /** Called when this process has taken over from a service that did not shut down properly. */
  onDead(name: string | undefined): void
}

export interface CheckedStore {
  records: number
  bytes: number
}

export interface OpenOptions {
  /** If true, refuses to open a store that does not exist, and creates nothing. */
  mustExist?: boolean | undefined
  isReader?: boolean | undefined
  keysDir?: string | undefined
  turn?: Turn | undefined
  /** Describes this service. A command needs none, even if it calls `own`. */
  node?: OwnNode | undefined
  /** Present if this service uses the store at the same time as others (`SVC_CLUSTER`). */
  cluster?: ClusterOptions | undefined
  /**
   * Number of bytes that running commits of each thread may need. Absent if no other thread of this process opens the
   * store.
   */
  claims?: Claims | undefined
  onCommit?: ((isStored: boolean) => void) | undefined
  /** Called when this process can no longer use the store. `sentence` tells the operator why. */
  onOver?: ((cause: unknown, sentence: string) => void) | undefined
  /**
   * Called for an address at which an active service cannot ask its standby, or another member of its cluster. Not
   * repeated while the address stays listed.
   */
  onUnreached?: ((address: string) => void) | undefined
  /**
   * Called when the store begins to refuse the row that lists this service. The service still owns the store, but lists
   * do not show that it runs.
   */
  onUnlisted?: ((cause: unknown) => void) | undefined
  /** Called each time that an active service has read the list of all services of the store. */
  onNodes?: ((nodes: readonly ServiceNode[]) => void) | undefined
  /**
   * Called when the lease of this process is renewed or prolonged. `until` is its end in ms of the monotonic clock
   * (`monotonicMs`); `Infinity` if nobody can replace this process. `since` is the moment from which the lease counts.
   */
  onHeld?: ((until: number, since: LeaseMoment) => void) | undefined
}

export interface StateDriver
  extends Omit<Driver, 'dispose'>,
    Pick<StateStore, 'get' | 'commit' | 'range' | 'count' | 'ids' | 'confirm' | 'changes'> {
  dispose(): Promise<void>
}

export interface OpenParts {
  shown: string
  /** URL by which the other threads of this process open the same store. */
  threadUrl: string
  /** Folder whose disk is watched; absent if the store is on another machine. */
  dir?: string | undefined
  hasRoom(): boolean
  /** Size of the store in bytes, on disk or in memory. */
  size(): Promise<number>
  keyTable: KeyTable
  /** Driver for media in the store. Absent if the store cannot contain media. */
  blobDriver?: BlobDriver | undefined
  /**
   * Makes this process the owner of the store, or one of the services that use it together, and resolves with a
   * function that releases the store. `onVisit` is called when a command has written something to the store.
   */
  own(onVisit?: () => void): Promise<() => Promise<void>>
  /** Id of this service for other services; absent if only this machine can use the store. */
  ownerId?: string | undefined
  /** The other services that use the store at the same time. Absent unless this service is a member of a cluster. */
  members?: Members | undefined
  /**
   * Makes the store refuse each commit of the other threads of this process that is not stored yet; if `thread` (a
   * number in `claims`) is given, only those of that thread. The threads must have ended, and must not be started again
   * before the promise settles. Absent if only this machine can use the store.
   */
  endThreads?(thread?: number): Promise<void>
  /** Says which service may write the records of which instance. Absent if only this machine can use the store. */
  homes?: Homes | undefined
  /**
   * True if the previous owner did not shut down properly and may still run on another machine. Absent if only this
   * machine can use the store.
   */
  hasTakenOver?(): boolean
  /** Reads the services of the store. Absent if only this machine can use it. */
  nodes?(): Promise<ServiceNode[]>
  /**
   * Asks a standby whether it waits to take over from this process; never rejects. Absent if only this machine can use
   * the store.
   */
  waitsForTurn?(standby: StandbyAddress): Promise<boolean>
  /**
   * Notifies the service that owns the store that a command has written to it. Resolves with false if no service runs
   * on it.
   */
  visitOwner(): Promise<boolean>
  /**
   * Copies the store at one point in time into a new folder, even while others write. Throws a sentence for the
   * operator if a store of this kind is copied by other means.
   */
  backup(
    target: string,
    beside: { blobsDir: string | null; keyFile?: string | undefined },
  ): Promise<CheckedStore & { mediaFiles: number }>
}

export type OpenStore = StateStore &
  OpenParts & {
    storage: Storage
  }

/** Error for a store that does not exist. The message is a sentence for the operator. */
export class NoStore extends Error {}
