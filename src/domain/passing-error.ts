/** Errors of the system that pass by themselves, or once somebody made room: whoever meets one tries again and does not give up. */
import { isStorageFailure } from './storage-failure.ts'

/** The machine has no process, thread, memory or open file to spare right now. */
const PASSING_CODES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBUSY', 'ERR_WORKER_INIT_FAILED'])
/** Storage says it with this failure where the error crossed a thread. */
const isNoStorage = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'engine_unavailable'

export function isPassing(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++)
    if ('code' in each && PASSING_CODES.has(each.code)) return true
  return isStorageFailure(error) || isNoStorage(error)
}
