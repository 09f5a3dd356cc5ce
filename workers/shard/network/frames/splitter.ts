/** Splits a stream of bytes into frames: three bytes of length, then the frame. */

const PREFIX = 3

export interface Splitter {
  push(bytes: Buffer): void
  /** Returns the next frame, or undefined if it is not complete. The frame may be a view of pushed bytes. */
  next(): Buffer | undefined
}

export function createSplitter(): Splitter {
  /** Received bytes after the last returned frame. */
  let pieces: Buffer[] = []
  let total = 0

  function joined(): Buffer {
    if (pieces.length > 1) pieces = [Buffer.concat(pieces)]
    return pieces[0]!
  }

  /** Size of the next frame with its prefix; undefined if it is not known yet. */
  let size: number | undefined

  return {
    push(bytes) {
      pieces.push(bytes)
      total += bytes.length
    },
    next() {
      if (size === undefined && total >= PREFIX) size = PREFIX + joined().readUIntBE(0, PREFIX)
      // The size is checked before the pieces are joined, so that the bytes of a frame are copied at most twice.
      if (size === undefined || total < size) return undefined
      const all = joined()
      const frame = all.subarray(PREFIX, size)
      pieces = all.length === size ? [] : [all.subarray(size)]
      total -= size
      size = undefined
      return frame
    },
  }
}
