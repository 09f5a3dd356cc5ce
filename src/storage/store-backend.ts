/**
 * The parts of a store in addition to the driver of its records: its folders, keys, owner, size and backup. Each kind of store has different parts,
 * which its backend implements. `backends.ts` selects the backend of a URL. No other module knows what kind of store there is.
 */
import type { Driver, Storage } from 'unstorage'
import type { BlobDriver } from './blobs/items.ts'
import type { StateStore } from './contract.ts'
import type { Claims } from './drivers/lmdb-room.ts'
import type { KeyTable } from './key-table.ts'

/** A store that a URL names, before it is opened. */
export interface Backend {
  /** Name of the store in sentences: its folder, or its server, database and schema. It never contains a password. */
  shown: string
  /**
   * True if the store has no folder in which a generated secret key could be stored, so that the operator must give the
   * key (SVC_SECRET_KEY).
   */
  needsSecretKey: boolean
  /**
   * Creates the data folder, and the store's folder if it has one. Throws a sentence that names the variable if a
   * folder cannot be used.
   */
  makeFolders(dataDir: string): Promise<void>
  exists(): Promise<boolean>
  /**
   * Checks the store before it is opened. Throws a sentence for the operator if the store is damaged; `onUnknown` is
   * called if the check was not possible.
   */
  refuseDamaged(onUnknown: (problem: string) => void): Promise<void>
  /** Reads the whole store. Throws a sentence for the operator if the store is damaged, and `NoStore` if it does not exist. */
  check(): Promise<CheckedStore>
  open(options: OpenOptions): Promise<StateDriver & OpenParts>
  /**
   * Waits until no other service owns the store. The turn then belongs to this process, which opens the store with it.
   * Absent if only services on one machine could use the store.
   */
  waitForTurn?(options: TurnOptions): Promise<Turn>
}

/** The right to be the next owner of a store. Only the backend that created it knows its contents. */
export interface Turn {
  link: unknown
}

/** The service that owns a store, as far as it is known: its id (`OpenParts.ownerId`), and the name of its machine. */
export interface Owner {
  id: string | undefined
  name: string | undefined
}

export interface TurnOptions {
  /** Number of threads of this service that will open the store. */
  threads: number
  /** Port on which this service listens. The owner asks there whether this service can reach the store. */
  port: number
  /** Signal whose abort ends the wait, which then rejects with the reason of the signal. */
  signal: AbortSignal
  /** Called at each check that finds that another service owns the store. */
  onWaiting(owner: Owner): void
  /** Called when no service uses the store and this process tries to take the turn, which can take seconds. */
  onTaking(): void
  /** Called at each check that failed. The wait continues. */
  onFailed(cause: unknown): void
  /** Called when this process replaces a service that did not stop in order and no longer runs. */
  onDead(name: string | undefined): void
}

export interface CheckedStore {
  records: number
  bytes: number
}

export interface OpenOptions {
  /** If true, refuses to open a store that does not exist, and creates nothing. */
  mustExist?: boolean | undefined
  /** If true, this thread only reads. */
  isReader?: boolean | undefined
  /** Folder for the keys, instead of the store's own place for them. */
  keysDir?: string | undefined
  /** The right to be the owner, if this process has waited for it (`Backend.waitForTurn`). */
  turn?: Turn | undefined
  /** Claims of disk space that all threads of the process share. Absent if this thread is the only one that opens the store. */
  claims?: Claims | undefined
  /** Called at the end of every commit that reached the store. */
  onCommit?: ((isStored: boolean) => void) | undefined
  /** Called when this process can no longer use the store. `sentence` tells the operator why. */
  onOver?: ((cause: unknown, sentence: string) => void) | undefined
  /** Called once for each address at which the owner cannot ask its standby. */
  onUnreached?: ((address: string) => void) | undefined
}

/** A driver of unstorage that can also commit and list in order. `state:` needs both, so `Backend.open` must return such a driver. */
export interface StateDriver
  extends Omit<Driver, 'dispose'>,
    Pick<StateStore, 'get' | 'commit' | 'range' | 'count' | 'ids' | 'confirm'> {
  dispose(): Promise<void>
}

/** The parts of an open store in addition to its records. */
export interface OpenParts {
  /** Name of the store in sentences. */
  shown: string
  /** URL by which the other threads of this process open the same store. */
  threadUrl: string
  /** Folder of the store on this machine, whose disk is watched. Absent if the store is elsewhere. */
  dir?: string | undefined
  /** Whether the store has space for a commit, as far as it is known. */
  hasRoom(): boolean
  /** Resolves with the size of the store on disk, in bytes. */
  size(): Promise<number>
  keyTable: KeyTable
  /** Driver of `blobs:` that keeps media in the store itself. Absent if the store keeps media in files. */
  blobDriver?: BlobDriver | undefined
  /**
   * Makes this process the owner of the store, so that only one service uses the store. Resolves with a function that releases it. `onVisit` is
   * called when a command has written something to the store for the service.
   */
  own(onVisit?: () => void): Promise<() => Promise<void>>
  /** Id by which the other services know this one when it owns the store. Absent if only services on one machine could use the store. */
  ownerId?: string | undefined
  /**
   * Whether this process became the owner after a service that did not stop in order, and that may still run on another machine. Absent if such a
   * service cannot exist.
   */
  hasTakenOver?(): boolean
  /** Asks the service that owns the store to read it. Resolves with false if no service runs on the store. */
  visitOwner(): Promise<boolean>
  /**
   * Copies the store at one point in time into a folder that does not exist yet, even while others write. Throws a sentence for the operator if a
   * store of this kind is copied by other means.
   */
  backup(
    target: string,
    beside: { blobsDir: string | null; keyFile?: string | undefined },
  ): Promise<CheckedStore & { mediaFiles: number }>
}

export type OpenStore = StateStore &
  OpenParts & {
    /** Mounts of unstorage. The records are under `state:`. Single records can also be written through this object. */
    storage: Storage
  }

/** The store does not exist. The message is a sentence for the operator. */
export class NoStore extends Error {}
