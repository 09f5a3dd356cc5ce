/**
 * Opens the environment of lmdb for this process while no other process commits (`../opening-turn.ts` says why). lmdb-js
 * itself opens it and begins a write in one call, which would wait for the lock of the process that holds its commits.
 * So it is opened natively first, and the calls of lmdb-js after that find it open.
 */
import * as lmdb from 'lmdb'
import { deferred } from '../../lib/deferred.ts'
import { takeOpeningTurn } from '../opening-turn.ts'

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
  /** The store is open. `openSecond` opens it once more in this process, for the lock. */
  mayHold(openSecond: () => lmdb.Database<Uint8Array, string>): void
  /** Call it after the store is closed. */
  end(): Promise<void>
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
  let second: lmdb.Database<Uint8Array, string> | undefined
  return {
    mayHold(openSecond) {
      turn.holdFor(() => {
        // A handle of its own: what the service writes meanwhile through the first would join this transaction.
        second ??= openSecond()
        const { promise, resolve } = deferred()
        second.transactionSync(() => promise.then(() => lmdb.ABORT))
        return resolve
      })
    },
    async end() {
      await turn.end()
      await second?.close()
      environment.close()
    },
  }
}

/** For a process that only reads. `openReader` is called while no other process commits has ended its opening. */
export async function openReaderInTurn<T>(dir: string, openReader: () => T): Promise<{ reader: T; close(): void }> {
  const turn = await takeOpeningTurn(dir)
  try {
    const environment = openNative(dir, { maxDbs: 1 }, READ_ONLY)
    turn.opened()
    return { reader: openReader(), close: () => environment.close() }
  } finally {
    await turn.end()
  }
}
