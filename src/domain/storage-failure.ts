/**
 * The disk did not accept a write, or did not return a record. That is neither the caller's fault nor the network's answer: the work
 * stays where it is and is tried again, and no failure is reported for it.
 */
import { Failure } from './failures.ts'

/** Thrown by storage in place of the system's error, which is its cause. */
export class StorageFailure extends Error {
  /** True when there is no room; the details of any other failure are in its cause. */
  readonly isFull: boolean

  constructor(message: string, { isFull = false, ...options }: ErrorOptions & { isFull?: boolean } = {}) {
    super(message, options)
    this.name = 'StorageFailure'
    this.isFull = isFull
  }
}

/** The system's error codes for a disk: full, over a quota, read-only, broken; and for a process, or a machine, that may not open more files. */
const DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])
/** Layers between the disk and the caller: the library, the Signal repository, a queue. */
const MAX_CAUSES = 8

const FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

function anyOf(error: unknown, fits: (each: Error & { code?: unknown }) => boolean): boolean {
  let each = error
  for (let depth = 0; depth < MAX_CAUSES && each instanceof Error; depth++) {
    if (fits(each)) return true
    each = each.cause
  }
  return false
}

export const isStorageFailure = (error: unknown): boolean =>
  anyOf(error, (each) => each instanceof StorageFailure || DISK_CODES.has(each.code))

export const isDiskFull = (error: unknown): boolean =>
  anyOf(error, (each) => (each instanceof StorageFailure && each.isFull) || FULL_CODES.has(each.code))

/** The failure a caller of the API gets: the same request succeeds when the disk has room. */
export const noStorage = (cause?: unknown) =>
  new Failure('engine_unavailable', {
    message: 'The service cannot write to its disk; try again later.',
    details: { reason: 'storage' },
    ...(cause === undefined ? {} : { cause }),
  })

/** Below the operator's limit (SVC_DISK_RESERVE_MB): the rest is kept for what arrives from the network. */
export const diskNearlyFull = () =>
  new Failure('engine_unavailable', {
    message: 'The disk of the service is nearly full; new messages are refused until space is freed.',
    details: { reason: 'disk_full' },
  })
