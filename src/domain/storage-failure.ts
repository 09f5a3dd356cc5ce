/**
 * The disk did not take something, or does not give it back. That is neither the caller's doing nor the network's answer: what failed so
 * is kept where it is and tried again, and nobody is told that it was refused.
 */
import { Failure } from './failures.ts'

/** Thrown by storage in place of what the system said, which is its cause. */
export class StorageFailure extends Error {
  /** There is no room; otherwise only what the cause says. */
  readonly isFull: boolean

  constructor(message: string, { isFull = false, ...options }: ErrorOptions & { isFull?: boolean } = {}) {
    super(message, options)
    this.name = 'StorageFailure'
    this.isFull = isFull
  }
}

/** What the system says of a disk: full, over a quota, read-only, broken. */
const DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])
/** Layers between the disk and whoever asks: the library, the Signal repository, a queue. */
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

/** What the caller of the API is told: the same request is good when the disk has room. */
export const noStorage = (cause?: unknown) =>
  new Failure('engine_unavailable', {
    message: 'The service cannot write to its disk at the moment; try again later.',
    details: { reason: 'storage' },
    ...(cause === undefined ? {} : { cause }),
  })

/** Below the operator's mark (SVC_DISK_RESERVE_MB): what is left is for what the network brings. */
export const diskNearlyFull = () =>
  new Failure('engine_unavailable', {
    message: 'The disk of the service is nearly full: it takes no new messages until there is room.',
    details: { reason: 'disk_full' },
  })
