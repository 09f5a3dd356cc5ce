import * as crypto from 'node:crypto'

type Encoding = 'base64url' | 'binary'

/** `crypto.hash` exists since Node 20.12; `createHash` takes three times as long. */
export const sha256: (data: Uint8Array | string, encoding: Encoding) => string =
  typeof crypto.hash === 'function'
    ? (data, encoding) => crypto.hash('sha256', data, encoding)
    : (data, encoding) => crypto.createHash('sha256').update(data).digest(encoding)
