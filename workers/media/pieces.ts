/** What crosses between threads: pieces of one size, moved, and never more of them than the other side has room for. */
import type { MessagePort } from 'node:worker_threads'
import { PIECE, WINDOW } from '../../src/domain/file-download.ts'

/** Each piece is a buffer of its own, so that it can be moved; all are full but the last. */
export async function* inPieces(source: AsyncIterable<Uint8Array>, size = PIECE): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(size)
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + size - filled)
      piece.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < size) continue
      yield piece
      piece = new Uint8Array(size)
      filled = 0
    }
  }
  if (filled > 0) yield piece.slice(0, filled)
}

/** Each call takes the room for one piece, waiting for it; every message of the port gives some back. Rejects when the signal ends. */
export function roomOf(port: MessagePort, signal: AbortSignal, window = WINDOW): () => Promise<void> {
  let room = window
  let wake = () => {}
  port.on('message', () => {
    room++
    wake()
  })
  signal.addEventListener('abort', () => wake())

  return async () => {
    while (room === 0 && !signal.aborted)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    signal.throwIfAborted()
    room--
  }
}
