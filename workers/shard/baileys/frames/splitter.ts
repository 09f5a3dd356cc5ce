/** Cuts a stream of bytes into frames: three bytes of length, then the frame. The pieces in which it comes have nothing to do with them. */

const PREFIX = 3

export interface Splitter {
  push(bytes: Buffer): void
  /** The next frame that is whole. A view of what was pushed. */
  next(): Buffer | undefined
}

export function createSplitter(): Splitter {
  /** What came and is not given out. */
  let pieces: Buffer[] = []
  let total = 0

  /** All of them as one. */
  function joined(): Buffer {
    if (pieces.length > 1) pieces = [Buffer.concat(pieces)]
    return pieces[0]!
  }

  /** Of the frame that begins here, with its prefix; undefined: it is not known yet. */
  let size: number | undefined

  return {
    push(bytes) {
      pieces.push(bytes)
      total += bytes.length
    },
    next() {
      if (size === undefined && total >= PREFIX) size = PREFIX + joined().readUIntBE(0, PREFIX)
      // Joined at most twice for a frame, however many pieces it comes in.
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
