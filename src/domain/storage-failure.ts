/**
 * The disk did not take something, or does not give it back. That is neither the caller's doing nor the network's answer: what failed so
 * is kept where it is and tried again, and nobody is told that it was refused.
 */
import { Failure } from './failures.ts'

/** Thrown by storage in place of what the system said, which is its cause. */
export class StorageFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageFailure'
  }
}

/** What the system says of a disk: full, over a quota, read-only, broken. */
const DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])
/** Layers between the disk and whoever asks: the library, the Signal repository, a queue. */
const MAX_CAUSES = 8

export function isStorageFailure(error: unknown): boolean {
  let each = error
  for (let depth = 0; depth < MAX_CAUSES && each instanceof Error; depth++) {
    if (each instanceof StorageFailure || DISK_CODES.has((each as { code?: unknown }).code)) return true
    each = each.cause
  }
  return false
}

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
