/**
 * Computes the `phash` of a message to a group: a hash of the devices to which it is sent. If the network knows other
 * devices, its ack contains a different hash. The algorithm is that of whatsmeow and zapo: the first six bytes of the
 * SHA-256 of the sorted addresses. Baileys computes a different hash.
 */
import { createHash } from 'node:crypto'
import { jidDecode } from '@whiskeysockets/baileys'
import { HOSTED_DEVICE } from './jid.ts'

const BYTES = 6

export function participantHash(devices: readonly string[]): string | null {
  const addresses = new Set<string>()
  for (const jid of devices) {
    const { user, server, device = 0 } = jidDecode(jid) ?? {}
    if (user === undefined || server === undefined) return null
    // A hosted device gets the message, but the hash does not include it.
    if (device !== HOSTED_DEVICE && !server.startsWith('hosted')) addresses.add(`${user}.0:${device}@${server}`)
  }
  const digest = createHash('sha256')
    .update([...addresses].sort().join(''))
    .digest()
  return `2:${digest.subarray(0, BYTES).toString('base64')}`
}
