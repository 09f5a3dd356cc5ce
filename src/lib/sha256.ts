/** SHA-256 of small inputs. */
import * as crypto from 'node:crypto'

type Encoding = 'base64url' | 'binary'

/** Without an object for each, which takes three times as long, where Node has it: from 20.12 on. */
export const sha256: (data: Uint8Array | string, encoding: Encoding) => string =
  typeof crypto.hash === 'function'
    ? (data, encoding) => crypto.hash('sha256', data, encoding)
    : (data, encoding) => crypto.createHash('sha256').update(data).digest(encoding)
