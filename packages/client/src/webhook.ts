/** Verifies webhooks. It uses Web Crypto and no module of Node, so it runs on runtimes with Web standards. */
import type { SvcEvent } from './event.ts'

/**
 * Thrown if the request does not come from the service, or if somebody has changed or repeated it. Answer such a
 * request with 401.
 */
export class SignatureError extends Error {
  override readonly name = 'SignatureError'
}

export interface VerifyOptions {
  /** Returns the current time in epoch ms. Tests replace this function. */
  now?: () => number
}

/** Largest difference in seconds between the time in a signature and the clock of the receiver. */
const TOLERANCE_S = 300

/**
 * Verifies the raw body of a webhook and returns its event. `signature` is the header `X-Svc-Signature`, and `secret`
 * is the whole `whsec_…` secret of the instance. Throws `SignatureError`.
 *
 * Give the bytes as they arrived: JSON that was parsed and written again has another signature.
 */
export async function verifyWebhook(
  body: Uint8Array | string,
  signature: string | null | undefined,
  secret: string,
  { now = Date.now }: VerifyOptions = {},
): Promise<SvcEvent> {
  if (!secret) throw new TypeError('the secret of the instance is missing')
  const parts = (signature ?? '').split(',').map((part) => part.trim().split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,15}$/.test(time)) throw new SignatureError('the request has no signature of svc')
  if (Math.abs(now() / 1_000 - Number(time)) > TOLERANCE_S)
    throw new SignatureError('the time in the signature differs by more than five minutes from this clock')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  const signed = joined(new TextEncoder().encode(`${time}.`), bytes)
  // While a secret is rotated, the header contains two signatures. `verify` compares in constant time.
  for (const [name, value = ''] of parts) {
    const mac = name === 'v1' ? fromHex(value) : undefined
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as SvcEvent
  }
  throw new SignatureError('the signature does not match the body')
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(head.length + tail.length)
  both.set(head)
  both.set(tail, head.length)
  return both
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined
  return Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16))
}
