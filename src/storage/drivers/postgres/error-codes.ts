/** Error codes with which the server refuses a statement. */

/** The server has chosen this statement to end a deadlock. */
export const DEADLOCK = '40P01'
export const DISK_FULL = '53100'
/** Another connection held a lock for longer than `lock_timeout`. */
export const LOCK_TIMEOUT = '55P03'

/**
 * Returns the error code of the server, for example `53100`; undefined if the server did not report the error. A code
 * of the server has a digit, and codes of a broken socket such as `EPIPE` have none.
 */
export function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
}
