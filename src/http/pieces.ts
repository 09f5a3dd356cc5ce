/**
 * The bytes read of a body, in pieces that can be given to another thread whole. The HTTP thread only lists them: written to one
 * place, 60 MB are faulted in page by page and leave as much garbage behind, and everybody else's requests wait for both.
 */

/** Shorter pieces are put together: otherwise a client that sends a byte at a time would cost a hundred bytes for each. */
const BLOCK = 65_536
const WORTH_KEEPING = BLOCK / 4

export interface Pieces {
  add(piece: Uint8Array): void
  /** The buffer under each is its alone, so that it can be transferred. */
  all(): Uint8Array<ArrayBuffer>[]
}

export function createPieces(): Pieces {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let block: Uint8Array<ArrayBuffer> | undefined
  let filled = 0

  function closeBlock() {
    if (block) pieces.push(filled === BLOCK ? block : block.slice(0, filled))
    block = undefined
    filled = 0
  }

  return {
    add(piece) {
      if (piece.byteLength >= WORTH_KEEPING) {
        closeBlock()
        pieces.push(owned(piece))
        return
      }
      if (filled + piece.byteLength > BLOCK) closeBlock()
      block ??= new Uint8Array(BLOCK)
      block.set(piece, filled)
      filled += piece.byteLength
    },
    all() {
      closeBlock()
      return pieces
    },
  }
}

/** As it is, unless its buffer holds something else too: the head of the request, or the next one. */
const owned = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.buffer instanceof ArrayBuffer && piece.byteLength === piece.buffer.byteLength
    ? (piece as Uint8Array<ArrayBuffer>)
    : new Uint8Array(piece)
