import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Maximum number of bytes of one write. The encryption of more bytes would block this thread for too long. */
const SLICE = 256 * 1_024

function* slicesOf(pieces: readonly Uint8Array[]) {
  for (const piece of pieces) for (let from = 0; from < piece.byteLength; from += SLICE) yield piece.subarray(from, from + SLICE)
}

/**
 * Writes the pieces with backpressure, and ends the stream. The last slice is written together with the end, so that a
 * short message needs one packet. `onLast` is called directly before the last slice. Rejects if the connection ends
 * earlier.
 */
export async function endWith(to: Writable, pieces: readonly Uint8Array[], onLast: () => void = () => {}): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort(new Error('The connection ended.'))
  to.once('close', end)
  try {
    let last: Uint8Array | undefined
    for (const slice of slicesOf(pieces)) {
      if (to.destroyed) throw new Error('The connection ended.')
      if (last !== undefined && !to.write(last)) await once(to, 'drain', { signal: ended.signal })
      last = slice
    }
    onLast()
    to.end(last)
  } finally {
    to.off('close', end)
  }
}
