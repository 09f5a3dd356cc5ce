/**
 * Collects the first bytes of a receiver's answer as text. The answer may be binary or name a wrong charset; bytes
 * without a meaning become U+FFFD.
 */
export interface AnswerBeginning {
  add(chunk: Uint8Array): void
  text(contentType: string | undefined): string
}

function decoderOf(contentType = '') {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1]
  try {
    return new TextDecoder(charset)
  } catch {
    // The receiver named an unknown charset.
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
    // The limit may have cut the last character; `stream` leaves out an incomplete one.
    text: (contentType) => (size === 0 ? '' : decoderOf(contentType).decode(Buffer.concat(chunks), { stream: true })),
  }
}
