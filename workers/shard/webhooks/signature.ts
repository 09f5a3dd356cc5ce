/** `X-Svc-Signature`, in the shape receivers' libraries know: `t=<unix seconds>,v1=<hex>` over `<t>.<raw body>`. */
import { createHmac } from 'node:crypto'

/** @param secret the whole `whsec_…` string; its UTF-8 bytes are the key, there is nothing to decode. */
export function sign(secret: string, body: Uint8Array, atMs: number): string {
  const t = Math.floor(atMs / 1_000)
  const v1 = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  return `t=${t},v1=${v1}`
}
