/**
 * Holds the bytes of a body in pieces that can be transferred to another thread. The HTTP thread only lists them.
 * Copying 60 MB to one place would cause page faults and garbage, and all other requests would wait for both.
 */

/**
 * Size of a block into which shorter pieces are merged; otherwise a client that sends one byte at a time would cost a
 * hundred bytes for each.
 */
const BLOCK = 65_536
const WORTH_KEEPING = BLOCK / 4

export interface Pieces {
  add(piece: Uint8Array): void
  /** Returns all pieces. Each owns its buffer, so that it can be transferred. */
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

/** Returns the piece unchanged if nothing else is in its buffer, such as the head of the request or the next request; otherwise a copy. */
const owned = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.buffer instanceof ArrayBuffer && piece.byteLength === piece.buffer.byteLength
    ? (piece as Uint8Array<ArrayBuffer>)
    : new Uint8Array(piece)
