/** Names of the records of Signal keys. */
import { keys } from './record-keys.ts'
import type { Sealer } from './seal.ts'

export const ONE_TIME_KEYS = 'pre-key'
/** Of the largest pre-key id, which has three bytes on the wire. */
const PRE_KEY_DIGITS = 8

/**
 * Ids contain phone numbers and are only looked up by name, never listed, so they are blind. That of a one-time pre-key is a number of its own: by
 * it, the 800 of an upload lie in the order they are written in, and fill their pages.
 */
export const signalKey = (instance: string, type: string, id: string, sealer: Pick<Sealer, 'blind'>): string =>
  keys.signal(instance, type, type === ONE_TIME_KEYS ? id.padStart(PRE_KEY_DIGITS, '0') : sealer.blind(id))
