/** Why a socket ended, in plain data: NETWORK.md section 13 and the engine notes of shared/api/states.md. */
import { isDeviceRemoval } from '../wire/account-notices.ts'

export interface Closed {
  /** `error.output.statusCode`; null when the library gave no error at all. */
  code: number | null
  message: string
  /** Seconds until a temporary ban (402) ends. */
  expireSeconds: number | null
  /** Our own watchdog ended it: the network never took the connection (`baileys/watchdog.ts`). */
  isStartFailure: boolean
}

interface BoomLike {
  message?: unknown
  data?: unknown
  output?: { statusCode?: unknown }
}

/** Takes anything: a query that is pending at a cut makes the library reject with a bare value instead of an Error. */
export function closedBy(error: unknown): Closed {
  const boom = (typeof error === 'object' && error !== null ? error : {}) as BoomLike
  // Without a code the library takes a removed device for a connection that was replaced.
  const code = isDeviceRemoval(boom.data) ? DEVICE_REMOVED : boom.output?.statusCode
  return {
    code: typeof code === 'number' ? code : null,
    message: typeof boom.message === 'string' ? boom.message : '',
    expireSeconds: expireOf(boom.data),
    isStartFailure: typeof boom.data === 'object' && boom.data !== null && 'watchdog' in boom.data,
  }
}

const DEVICE_REMOVED = 401

/** A `<failure>`'s attributes are the error's data; `expire` is text. */
function expireOf(data: unknown): number | null {
  if (typeof data !== 'object' || data === null || !('expire' in data)) return null
  const seconds = Number(data.expire)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}
