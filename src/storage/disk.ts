/**
 * State of the disk, which the main thread checks once a second. Below the operator's limit new messages are refused.
 * Without space for a commit, messages from the network are not confirmed either, so that the network sends them again.
 */
import { statfs } from 'node:fs/promises'
import { SECOND } from '../domain/clock.ts'
import type { DiskState, SharedDisk } from '../domain/disk.ts'
import type { Log } from '../domain/log.ts'
import { MB } from '../domain/media.ts'
import { isStorageFailure } from '../domain/storage-failure.ts'
import type { Claims } from './drivers/lmdb-room.ts'

const STATES = ['ok', 'low', 'full'] as const satisfies readonly DiskState[]

export const shareDisk = (threads: number): SharedDisk => ({
  state: new Int32Array(new SharedArrayBuffer(4)),
  claims: new BigInt64Array(new SharedArrayBuffer(8 * threads)),
  failedAt: new BigInt64Array(new SharedArrayBuffer(8)),
})

/** Number of a shard thread among the threads of the service; the main thread has 0. */
export const threadOf = (shard: number): number => shard + 1

export const claimsOf = ({ claims }: SharedDisk, thread: number): Claims => ({ all: claims, own: thread })

export const diskState = ({ state }: SharedDisk): DiskState => STATES[Atomics.load(state, 0)]!

/**
 * Milliseconds for which the disk counts as failing after a failed commit. The state ends by time, because there may be
 * no further commit that shows that the disk works.
 */
const FAILS_FOR = 10 * SECOND

export const noteCommit =
  ({ failedAt }: SharedDisk) =>
  (isStored: boolean): void => {
    if (!isStored) Atomics.store(failedAt, 0, BigInt(Date.now()))
    else if (Atomics.load(failedAt, 0) !== 0n) Atomics.store(failedAt, 0, 0n)
  }

export const isFailing = ({ failedAt }: SharedDisk): boolean => Date.now() - Number(Atomics.load(failedAt, 0)) < FAILS_FOR

export interface DiskWatch {
  state(): DiskState
  problem(): string | undefined
  freeBytes(): number
  look(): Promise<void>
  stop(): void
}

export interface DiskWatchOptions {
  shared: SharedDisk
  /** Folders that the service writes to; the disk with the least space decides. */
  dirs: readonly string[]
  reserveBytes: number
  hasRoom(): boolean
  log: Log
  everyMs?: number
}

/**
 * Free space beyond the limit that is needed to return to `ok`, as a fraction of the limit. Without it, a growing log
 * file could change the state every second.
 */
const SLACK = 1 / 16

export async function watchDisk(options: DiskWatchOptions): Promise<DiskWatch> {
  const { shared, dirs, reserveBytes, hasRoom, log, everyMs = SECOND } = options
  let free = 0

  async function freeNow(): Promise<number> {
    const all = await Promise.all(dirs.map((dir) => statfs(dir)))
    return Math.min(...all.map(({ bavail, bsize }) => bavail * bsize))
  }

  function next(): DiskState {
    if (!hasRoom()) return 'full'
    const mark = diskState(shared) === 'ok' ? reserveBytes : reserveBytes * (1 + SLACK)
    return free < mark ? 'low' : 'ok'
  }

  async function look(): Promise<void> {
    let state: DiskState
    try {
      free = await freeNow()
      state = next()
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      state = 'full'
    }
    const before = diskState(shared)
    if (state === before) return
    Atomics.store(shared.state, 0, STATES.indexOf(state))
    const fields = { disk: state, free_mb: Math.floor(free / MB), reserve_mb: Math.floor(reserveBytes / MB) }
    if (state === 'ok') log.info(fields, 'the disk has free space again; messages and events are accepted')
    else log.error(fields, sentence(state))
  }

  const sentence = (state: 'low' | 'full') =>
    state === 'low'
      ? `The disk has ${Math.floor(free / MB)} MB left, less than SVC_DISK_RESERVE_MB (${Math.floor(reserveBytes / MB)}): new messages are refused.`
      : 'The disk is full: new messages are refused, and messages from the network are not confirmed.'

  await look()
  let timer: NodeJS.Timeout | undefined
  const later = () => {
    timer = setTimeout(() => {
      look()
        .catch((error: unknown) => log.warn({ err: error }, 'the free space of the disk could not be determined'))
        .finally(() => timer && later())
    }, everyMs)
    timer.unref()
  }
  later()

  return {
    look,
    state: () => diskState(shared),
    freeBytes: () => free,
    problem() {
      const state = diskState(shared)
      return state === 'ok' ? undefined : sentence(state)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
