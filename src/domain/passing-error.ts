/**
 * Temporary errors of the system, which end by themselves or when other programs free resources. Code that gets such an
 * error retries.
 */
import { isStorageFailure } from './storage-failure.ts'

/** Error codes of a machine that temporarily has no process, thread, memory or open file left. */
const PASSING_CODES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBUSY', 'ERR_WORKER_INIT_FAILED'])
const isNoStorage = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'engine_unavailable'

export function isPassing(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++)
    if ('code' in each && PASSING_CODES.has(each.code)) return true
  return isStorageFailure(error) || isNoStorage(error)
}
