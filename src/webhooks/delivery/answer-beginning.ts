/**
 * Collects the first bytes of a receiver's answer and decodes them as text. The answer is not trusted: it may be binary, and its charset may be
 * wrong or unknown. So it always becomes a string, in which bytes without a meaning are U+FFFD.
 */
export interface AnswerBeginning {
  add(chunk: Uint8Array): void
  /** Returns the text so far; empty if there was no body. */
  text(contentType: string | undefined): string
}

function decoderOf(contentType = '') {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1]
  try {
    return new TextDecoder(charset)
  } catch {
    // The receiver named a charset that nobody knows.
    return new TextDecoder()
  }
}

export function createAnswerBeginning(maxBytes: number): AnswerBeginning {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    add(chunk) {
      if (size >= maxBytes) return
      const part = chunk.subarray(0, maxBytes - size)
      chunks.push(part)
      size += part.byteLength
    },
    // The limit may have cut the last character. With `stream` the decoder leaves out an incomplete character.
    text: (contentType) => (size === 0 ? '' : decoderOf(contentType).decode(Buffer.concat(chunks), { stream: true })),
  }
}
