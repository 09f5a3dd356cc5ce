/**
 * A text of a large body that is too long for any field except a file. The thread that parses the body decodes the text while it arrives and does not
 * keep it (`workers/media/streamed-json.ts`). A symbol represents it in the fields, because no caller can send a symbol: only the schema of a file
 * accepts it, and a symbol cannot be sent to another thread.
 */
import type { Base64Problem } from './base64-decoder.ts'

export interface HeldText {
  /** The decoded file, or the reason why it is not valid. */
  file: Uint8Array<ArrayBuffer> | Base64Problem
  /** Content type of the file, if the text is a data URL. */
  mime: string | null
  /** The first characters of the text, for an error message about it. */
  begin: string
}

const texts = new WeakMap<symbol, HeldText>()

export function holdText(text: HeldText): symbol {
  const token = Symbol('a held text')
  texts.set(token, text)
  return token
}

export const heldText = (value: unknown): HeldText | undefined => (typeof value === 'symbol' ? texts.get(value) : undefined)

/** Prefix `data:<mime>;base64,`; the type may have parameters. */
export const DATA_PREFIX = /^data:([^,]{0,255});base64,/i
/** Number of characters that `DATA_PREFIX` may need. */
export const MAX_PREFIX = 512
