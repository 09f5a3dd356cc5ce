/**
 * Errors of the disk: it refused a write or did not return a record. This is neither a mistake of the caller nor an answer of the network: the work
 * stays in its queue and is retried, and the caller gets no report of a failure.
 */
import { Failure } from './failures.ts'

/** Error of a failed access to the disk. Storage throws it in place of the system's error, which becomes the cause. */
export class StorageFailure extends Error {
  /** True if the disk is full. The cause has the details of any other failure. */
  readonly isFull: boolean
  /** True if the media of waiting messages are stored outside of the store and their place failed, while the store itself works. */
  readonly isOfMedia: boolean

  constructor(
    message: string,
    { isFull = false, isOfMedia = false, ...options }: ErrorOptions & { isFull?: boolean; isOfMedia?: boolean } = {},
  ) {
    super(message, options)
    this.name = 'StorageFailure'
    this.isFull = isFull
    this.isOfMedia = isOfMedia
  }
}

/** Error codes of the system for a disk that is full, over a quota, read-only or broken, and for a process or machine that cannot open more files. */
const DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])
/**
 * Maximum number of layers of causes that are searched for the error of the disk. Layers between the disk and the caller are, for example, the
 * library, the Signal repository and a queue.
 */
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

/** Whether only the storage of media failed. Work that needs no stored media can then continue. */
export const isMediaFailure = (error: unknown): boolean =>
  anyOf(error, (each) => each instanceof StorageFailure && each.isOfMedia)

export const isDiskFull = (error: unknown): boolean =>
  anyOf(error, (each) => (each instanceof StorageFailure && each.isFull) || FULL_CODES.has(each.code))

/** Returns the failure that a caller of the API gets if the disk is full or broken. The same request succeeds once the disk works and has space. */
export const noStorage = (cause?: unknown) =>
  new Failure('engine_unavailable', {
    message: 'The service cannot write to its disk; try again later.',
    details: { reason: 'storage' },
    ...(cause === undefined ? {} : { cause }),
  })

/**
 * Returns the failure of a request while less space is free than the operator's limit (SVC_DISK_RESERVE_MB). The remaining space is reserved for
 * messages from the network.
 */
export const diskNearlyFull = () =>
  new Failure('engine_unavailable', {
    message: 'The disk of the service is nearly full; new messages are refused until space is freed.',
    details: { reason: 'disk_full' },
  })
