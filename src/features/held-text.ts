/**
 * A text of a large body that can only be a file, because it is too long for any other field. The thread that parses the body decodes it while it
 * arrives and does not keep the text (`workers/media/streamed-json.ts`). In the fields a symbol stands for it, because no caller can send one:
 * only the schema of a file accepts it, and a symbol cannot leave its thread.
 */
import type { Base64Problem } from './base64.ts'

export interface HeldText {
  /** The decoded file, or why it is none. */
  file: Uint8Array<ArrayBuffer> | Base64Problem
  /** Of a data URL. */
  mime: string | null
  /** The first characters. */
  begin: string
}

const texts = new WeakMap<symbol, HeldText>()

export function holdText(text: HeldText): symbol {
  const token = Symbol('a held text')
  texts.set(token, text)
  return token
}

export const heldText = (value: unknown): HeldText | undefined => (typeof value === 'symbol' ? texts.get(value) : undefined)

/** `data:<mime>;base64,`; the type may have parameters of its own. */
export const DATA_PREFIX = /^data:([^,]{0,255});base64,/i
/** Characters that `DATA_PREFIX` may need. */
export const MAX_PREFIX = 512
