export function joined<B extends ArrayBufferLike>(pieces: readonly Uint8Array<B>[]): Uint8Array<B | ArrayBuffer> {
  const [only] = pieces
  if (pieces.length === 1 && only) return only
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}

export type Through = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
