/**
 * Opens the environment of lmdb for this process while no other process commits (`../opening-turn.ts` says why).
 * lmdb-js would open the environment and begin a write in one call, and this write would wait for the write lock that
 * another process holds until the environment is open. So the environment is opened natively first.
 */
import * as lmdb from 'lmdb'
import { type HoldCommits, takeOpeningTurn } from '../opening-turn.ts'

/** The native class of lmdb-js, which its types do not contain. `open` throws if lmdb cannot open the environment. */
interface NativeEnvironment {
  open(options: EnvironmentShape & { path: string; keyBytes: Uint8Array }, flags: number, ownFlags: number): void
  close(): void
}

export interface EnvironmentShape {
  maxDbs: number
  maxReaders?: number
  mapSize?: number
}

export interface Opening {
  /** Must be called when the store is open. From then on, this process can hold its commits for another one. */
  mayHold(hold: HoldCommits): void
  /** Closes the store and the environment. */
  end(closeStore: () => Promise<void>): Promise<void>
}

/** Flags of `mdb_env_open`, as lmdb-js sets them for the options of `openEnvironment`. */
const WRITER = 0
const READ_ONLY = 0x2_00_00
/** Size in bytes of the buffer in which lmdb-js passes keys. */
const KEY_BUFFER = 4_096

const { nativeAddon } = lmdb as unknown as { nativeAddon: { Env: new () => NativeEnvironment } }

function openNative(dir: string, shape: EnvironmentShape, flags: number): NativeEnvironment {
  const environment = new nativeAddon.Env()
  environment.open({ ...shape, path: dir, keyBytes: Buffer.alloc(KEY_BUFFER) }, flags, 0)
  return environment
}

export async function openInTurn(dir: string, shape: EnvironmentShape): Promise<Opening> {
  const turn = await takeOpeningTurn(dir)
  let environment: NativeEnvironment
  try {
    environment = openNative(dir, shape, WRITER)
    turn.opened()
  } catch (error) {
    await turn.end()
    throw error
  }
  return {
    mayHold: turn.holdFor,
    async end(closeStore) {
      await turn.stopHolding()
      try {
        await closeStore()
      } finally {
        // The last process that closes lmdb also removes its locks, so no other process may open lmdb before this
        // process has closed it.
        environment.close()
        await turn.end()
      }
    },
  }
}

/**
 * True if the folder is on a disk that is mounted read-only. No socket can be created there, and no process can commit.
 */
const isReadOnly = (error: unknown) => ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'EROFS'

/** Opens a reader, for a process that only reads. Other processes may commit again when `openReader` is called. */
export async function openReaderInTurn<T>(dir: string, openReader: () => T): Promise<T> {
  const turn = await takeOpeningTurn(dir).catch((error: unknown) => {
    if (isReadOnly(error)) return undefined
    throw error
  })
  try {
    openNative(dir, { maxDbs: 1 }, READ_ONLY)
    turn?.opened()
    return openReader()
  } finally {
    await turn?.end()
  }
}
