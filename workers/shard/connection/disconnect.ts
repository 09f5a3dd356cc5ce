import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import { isDeviceRemoval } from '../wire/account-notices.ts'

export interface Closed {
  /** `error.output.statusCode` of the library's error; null if the library gave no error. */
  code: number | null
  message: string
  expireSeconds: number | null
  /**
   * `handshake`: the network never accepted the connection. `storeAway`: the store could not be written before the
   * login, which says nothing about the network. Null for all other reasons.
   */
  startFailure: 'handshake' | 'storeAway' | null
}

interface BoomLike {
  message?: unknown
  data?: unknown
  output?: { statusCode?: unknown }
}

/** A query that is pending at a disconnection may reject with a value that is not an Error. */
export function closedBy(error: unknown): Closed {
  const boom = (typeof error === 'object' && error !== null ? error : {}) as BoomLike
  // The stanza about a removed device may have no code. The library would then report a replaced connection.
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

/** The library passes the attributes of the `<failure>` stanza as the data of its error, so `expire` is text. */
function expireOf(data: unknown): number | null {
  if (typeof data !== 'object' || data === null || !('expire' in data)) return null
  const seconds = Number(data.expire)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}
