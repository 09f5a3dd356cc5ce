import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** The encryption of a longer piece would hold up this thread. */
const SLICE = 256 * 1_024

function* slicesOf(pieces: readonly Uint8Array[]) {
  for (const piece of pieces) for (let from = 0; from < piece.byteLength; from += SLICE) yield piece.subarray(from, from + SLICE)
}

/**
 * Writes the pieces and ends the stream. Waits while the other side takes nothing. Rejects if the connection ends before
 * the last slice, which is written together with the end, so that a short message needs one packet. `onLast` is called
 * directly before.
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
