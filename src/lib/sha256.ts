/** Hashes small inputs with SHA-256. */
import * as crypto from 'node:crypto'

type Encoding = 'base64url' | 'binary'

/**
 * Computes SHA-256 with the one-shot function of Node 20.12 and later if available, because an object per hash takes
 * three times as long.
 */
export const sha256: (data: Uint8Array | string, encoding: Encoding) => string =
  typeof crypto.hash === 'function'
    ? (data, encoding) => crypto.hash('sha256', data, encoding)
    : (data, encoding) => crypto.createHash('sha256').update(data).digest(encoding)
