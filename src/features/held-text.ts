/**
 * A text of a large body that is too long for any field except a file. It is decoded while it arrives and is not kept.
 * A symbol represents it in the fields, because no caller can send a symbol.
 */
import type { Base64Problem } from './base64-decoder.ts'

export interface HeldText {
  file: Uint8Array<ArrayBuffer> | Base64Problem
  mime: string | null
  begin: string
}

const texts = new WeakMap<symbol, HeldText>()

export function holdText(text: HeldText): symbol {
  const token = Symbol('a held text')
  texts.set(token, text)
  return token
}

export const heldText = (value: unknown): HeldText | undefined => (typeof value === 'symbol' ? texts.get(value) : undefined)

/** Matches the beginning of a data URL, `data:<mime>;base64,`. The type may have parameters. */
export const DATA_PREFIX = /^data:([^,]{0,255});base64,/i
export const MAX_PREFIX = 512
