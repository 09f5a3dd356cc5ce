/**
 * Errors of the disk or the database: a write was refused, or a record was not returned. Work that is already queued
 * stays in its queue and is retried. A new request gets `engine_unavailable`.
 */
import { Failure } from './failures.ts'

/**
 * Error of storage that could not be used. `cause` is the error of the disk or of the database; absent if the service
 * itself refused, for example because the store is closed.
 */
export class StorageFailure extends Error {
  readonly isFull: boolean
  /** True if only the storage for media of waiting messages failed. */
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

/** Codes of system errors: the disk is full, over a quota, read-only or broken, or no more files can be opened. */
const DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])
/**
 * Maximum number of errors that are searched: an error and its causes. Baileys and queues wrap the error of the disk.
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

/** True if only the storage of media failed. Work that needs no stored media can then continue. */
export const isMediaFailure = (error: unknown): boolean =>
  anyOf(error, (each) => each instanceof StorageFailure && each.isOfMedia)

export const isDiskFull = (error: unknown): boolean =>
  anyOf(error, (each) => (each instanceof StorageFailure && each.isFull) || FULL_CODES.has(each.code))

/** Failure for a request that the caller can repeat: it succeeds when the disk works and has space. */
export const noStorage = (cause?: unknown) =>
  new Failure('engine_unavailable', {
    message: 'The service cannot write to its disk; try again later.',
    details: { reason: 'storage' },
    ...(cause === undefined ? {} : { cause }),
  })

/**
 * Failure for a new message while less space is free than SVC_DISK_RESERVE_MB. This reserve is kept for messages from
 * the network.
 */
export const diskNearlyFull = () =>
  new Failure('engine_unavailable', {
    message: 'The disk of the service is nearly full; new messages are refused until space is freed.',
    details: { reason: 'disk_full' },
  })
