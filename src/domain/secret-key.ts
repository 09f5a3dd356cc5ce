/** Text form of the key that encrypts everything at rest. */
export const SECRET_KEY_BYTES = 32

const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

/** Words that describe the text form of the key, for a sentence of an error. */
export const SECRET_KEY_FORM = `${SECRET_KEY_BYTES} bytes, written as base64 or as 64 hex digits`

/** Returns the encoding of the text; undefined if the text is neither the hex nor the base64 form of a key. */
export const secretKeyEncoding = (text: string): 'hex' | 'base64' | undefined =>
  HEX.test(text) ? 'hex' : BASE64.test(text) ? 'base64' : undefined
