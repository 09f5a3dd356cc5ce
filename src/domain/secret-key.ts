export const SECRET_KEY_BYTES = 32

const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

export const SECRET_KEY_FORM = `${SECRET_KEY_BYTES} bytes, written as base64 or as 64 hex digits`

export const secretKeyEncoding = (text: string): 'hex' | 'base64' | undefined =>
  HEX.test(text) ? 'hex' : BASE64.test(text) ? 'base64' : undefined
