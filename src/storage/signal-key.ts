import { keys } from './record-keys.ts'
import type { Sealer } from './sealer.ts'

export const ONE_TIME_KEYS = 'pre-key'
/** Number of digits of a pre-key id in a record key. The largest id has three bytes on the wire. */
const PRE_KEY_DIGITS = 8

/**
 * Returns the record key of a Signal key. The id is replaced by a hash, because it can contain a phone number. The
 * number of a one-time pre-key stays, so that the pre-keys of an upload are adjacent in the store and fill whole pages.
 */
export const signalKey = (instance: string, type: string, id: string, sealer: Pick<Sealer, 'blind'>): string =>
  keys.signal(instance, type, type === ONE_TIME_KEYS ? id.padStart(PRE_KEY_DIGITS, '0') : sealer.blind(id))
