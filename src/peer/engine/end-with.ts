import { once } from 'node:events'
import type { Writable } from 'node:stream'

/**
 * Writes the pieces and ends the stream. Waits while the other side takes nothing. Rejects if the connection ends. The last
 * piece is written together with the end, so a short message needs one packet.
 */
export async function endWith(to: Writable, pieces: readonly Uint8Array[]): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort(new Error('The connection ended.'))
  to.once('close', end)
  try {
    for (const piece of pieces.slice(0, -1)) {
      if (to.destroyed) throw new Error('The connection ended.')
      if (!to.write(piece)) await once(to, 'drain', { signal: ended.signal })
    }
    to.end(pieces.at(-1))
  } finally {
    to.off('close', end)
  }
}
