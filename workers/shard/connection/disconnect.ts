import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import { isDeviceRemoval } from '../wire/account-notices.ts'

export interface Closed {
  /** Status code of the error; null if there is no error, or no code. */
  code: number | null
  message: string
  expireSeconds: number | null
  /**
   * `handshake`: the network answered the upgrade with HTTP, or did not answer the login in time. `storeAway`: the
   * socket was ended because the store could not be used. Null for all other reasons.
   */
  startFailure: 'handshake' | 'storeAway' | null
}

interface BoomLike {
  message?: unknown
  data?: unknown
  output?: { statusCode?: unknown }
}

/** Reads why a socket has ended. Libraries may throw values that are not Errors, so `error` may be any value. */
export function closedBy(error: unknown): Closed {
  const boom = (typeof error === 'object' && error !== null ? error : {}) as BoomLike
  // The stanza about a removed device may have no code, so it is recognized here. Otherwise, the end of the socket
  // would count as a replaced connection.
  const code = isDeviceRemoval(boom.data) ? DEVICE_REMOVED : boom.output?.statusCode
  return {
    code: typeof code === 'number' ? code : null,
    message: typeof boom.message === 'string' ? boom.message : '',
    expireSeconds: expireOf(boom.data),
    startFailure: startFailureOf(error, boom.data),
  }
}

const DEVICE_REMOVED = 401

function startFailureOf(error: unknown, data: unknown): Closed['startFailure'] {
  if (isStorageFailure(error)) return 'storeAway'
  return typeof data === 'object' && data !== null && 'watchdog' in data ? 'handshake' : null
}

/**
 * Returns the seconds for which the account is banned, or null. The data are the attributes of the `<failure>`
 * stanza, so `expire` is text.
 */
function expireOf(data: unknown): number | null {
  if (typeof data !== 'object' || data === null || !('expire' in data)) return null
  const seconds = Number(data.expire)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}
