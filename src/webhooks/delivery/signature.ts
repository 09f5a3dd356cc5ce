/** `X-Svc-Signature`, in the shape receivers' libraries know: `t=<unix seconds>,v1=<hex>` over `<t>.<raw body>`. */
import { createHmac } from 'node:crypto'
import type { PreviousSecret } from '../../domain/instance.ts'

/**
 * @param secrets each the whole `whsec_…` string, whose UTF-8 bytes are the key: there is nothing to decode. A second one, while it may
 * still be used, is a second `v1`, and receivers take whichever fits.
 */
export function sign(secrets: readonly string[], body: Uint8Array, atMs: number): string {
  const t = Math.floor(atMs / 1_000)
  const v1 = (secret: string) => createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  return [`t=${t}`, ...secrets.map((secret) => `v1=${v1(secret)}`)].join(',')
}

/** The secret before the last rotation, for as long as it may sign, too. */
export const validSecrets = (previous: PreviousSecret | undefined, now: number): string[] =>
  previous !== undefined && now < previous.until ? [previous.secret] : []
