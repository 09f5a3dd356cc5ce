import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ADMIN_KEY_PREFIX, API_KEY_PREFIX, WEBHOOK_SECRET_PREFIX } from '../domain/brand.ts'

const newHex = () => randomBytes(24).toString('hex')

export const newInstanceToken = newHex
export const newSessionSecret = newHex
export const newApiKey = () => API_KEY_PREFIX + newHex()
export const newAdminKey = () => ADMIN_KEY_PREFIX + newHex()

const ADMIN_KEY = new RegExp(`^${ADMIN_KEY_PREFIX}[0-9a-f]{48}$`)
export const isAdminKey = (value: string) => ADMIN_KEY.test(value)

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * Creates a secret that signs webhooks, with 32 base62 characters. Bytes above 247 are discarded, because modulo 62
 * they would favour the first eight characters.
 */
export function newWebhookSecret(): string {
  let text = ''
  while (text.length < 32) for (const byte of randomBytes(48)) if (byte < 248 && text.length < 32) text += BASE62[byte % 62]
  return WEBHOOK_SECRET_PREFIX + text
}

/**
 * Returns the SHA-256 of a value in hex. A plain hash is enough for random values. People choose imported tokens, so
 * the record with their hash is also encrypted.
 */
export const hashOf = (value: string) => createHash('sha256').update(value).digest('hex')

export const isSameHash = (one: string, other: string) => timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
