/** Record keys for the keys of the Signal protocol. */
import { keys } from './record-keys.ts'
import type { Sealer } from './sealer.ts'

export const ONE_TIME_KEYS = 'pre-key'
/** Number of digits of the largest pre-key id, which has three bytes on the wire. */
const PRE_KEY_DIGITS = 8

/**
 * Returns the record key. Ids contain phone numbers and are only looked up, never listed, so a blind name (`sealer.ts`) replaces them. The record key
 * of a one-time pre-key contains its number instead. So the 800 pre-keys of an upload are adjacent in the store, in the order in which they are
 * written, and fill whole pages.
 */
export const signalKey = (instance: string, type: string, id: string, sealer: Pick<Sealer, 'blind'>): string =>
  keys.signal(instance, type, type === ONE_TIME_KEYS ? id.padStart(PRE_KEY_DIGITS, '0') : sealer.blind(id))
