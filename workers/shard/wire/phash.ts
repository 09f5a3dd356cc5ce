/**
 * `phash` of a message to a group: a hash of its intended devices, which the network computes too. The ack has a different one when the network knows
 * other devices. Computed as in whatsmeow and zapo: full addresses in order, six bytes of SHA-256. The library's own uses the addresses as they are,
 * and six characters of the encoded hash.
 */
import { createHash } from 'node:crypto'
import { jidDecode } from '@whiskeysockets/baileys'

const BYTES = 6
/** The device of an account that a company runs on Meta's servers: it is sent to, and not counted. */
const HOSTED = 99

/** Of device jids; null for one that is none. */
export function participantHash(devices: readonly string[]): string | null {
  const addresses = new Set<string>()
  for (const jid of devices) {
    const { user, server, device = 0 } = jidDecode(jid) ?? {}
    if (user === undefined || server === undefined) return null
    if (device !== HOSTED && !server.startsWith('hosted')) addresses.add(`${user}.0:${device}@${server}`)
  }
  const digest = createHash('sha256')
    .update([...addresses].sort().join(''))
    .digest()
  return `2:${digest.subarray(0, BYTES).toString('base64')}`
}
