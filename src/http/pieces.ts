/**
 * Collects a body in pieces that can be transferred to another thread. Copying 60 MB into one buffer would delay all
 * other requests.
 */

/**
 * Size in bytes of the blocks into which shorter pieces are merged. Without them, single bytes from a client would take
 * a hundred bytes of memory each.
 */
const BLOCK = 65_536
const WORTH_KEEPING = BLOCK / 4

export interface Pieces {
  add(piece: Uint8Array): void
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

/** Copies a piece if its buffer also contains other data, such as the head of the request. */
const owned = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.buffer instanceof ArrayBuffer && piece.byteLength === piece.buffer.byteLength
    ? (piece as Uint8Array<ArrayBuffer>)
    : new Uint8Array(piece)
