import { once } from 'node:events'
import type { Writable } from 'node:stream'

/**
 * Writes the pieces and ends the stream. Waits while the other side takes nothing. Rejects if the connection ends before
 * the last piece, which is written together with the end, so that a short message needs one packet. `onLast` is called
 * directly before.
 */
export async function endWith(to: Writable, pieces: readonly Uint8Array[], onLast: () => void = () => {}): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort(new Error('The connection ended.'))
  to.once('close', end)
  try {
    for (const piece of pieces.slice(0, -1)) {
      if (to.destroyed) throw new Error('The connection ended.')
      if (!to.write(piece)) await once(to, 'drain', { signal: ended.signal })
    }
    onLast()
    to.end(pieces.at(-1))
  } finally {
    to.off('close', end)
  }
}
