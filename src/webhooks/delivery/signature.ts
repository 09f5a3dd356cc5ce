/**
 * Signs webhook requests twice: in the format of the `stripe` library, and by the Standard Webhooks specification
 * (standardwebhooks.com).
 */
import { createHmac } from 'node:crypto'
import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from '../../domain/brand.ts'
import type { PreviousSecret } from '../../domain/instance.ts'

export interface Signed {
  eventId: string
  /** Whole `whsec_…` texts: the current secret, followed by the previous one during its grace time. */
  secrets: readonly string[]
  body: Uint8Array
}

/**
 * Returns the headers of both signatures. They have the same time and one value per secret; a receiver accepts the
 * request if one value is valid.
 */
export function signatureHeaders({ eventId, secrets, body }: Signed, atMs: number): Record<string, string> {
  const t = epochSeconds(atMs)
  return {
    [WEBHOOK_HEADERS.signature]: sign(secrets, body, atMs),
    [STANDARD_WEBHOOK_HEADERS.id]: eventId,
    [STANDARD_WEBHOOK_HEADERS.timestamp]: t,
    [STANDARD_WEBHOOK_HEADERS.signature]: secrets.map((secret) => `v1,${standardSignature(secret, eventId, t, body)}`).join(' '),
  }
}

/**
 * Returns the value of `X-Svc-Signature`: `t=<epoch seconds>` and one `v1=<hex>` per secret, the HMAC-SHA256 of
 * `<t>.<body>`. The key is the UTF-8 bytes of the whole secret.
 */
export function sign(secrets: readonly string[], body: Uint8Array, atMs: number): string {
  const t = epochSeconds(atMs)
  const v1 = (secret: string) => createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  return [`t=${t}`, ...secrets.map((secret) => `v1=${v1(secret)}`)].join(',')
}

const epochSeconds = (atMs: number) => String(Math.floor(atMs / 1_000))

/**
 * Returns the HMAC-SHA256 of `<event id>.<t>.<body>` in base64. The key is the part of the secret after `whsec_`,
 * decoded as base64 (24 bytes), as Standard Webhooks requires.
 */
const standardSignature = (secret: string, eventId: string, t: string, body: Uint8Array) =>
  createHmac('sha256', Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64'))
    .update(`${eventId}.${t}.`)
    .update(body)
    .digest('base64')

/** Returns the secret before the last rotation, as a list that is empty after the grace time. */
export const validSecrets = (previous: PreviousSecret | undefined, now: number): string[] =>
  previous !== undefined && now < previous.until ? [previous.secret] : []
