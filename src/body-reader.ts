/**
 * Reads a body from Node's HTTP server. Nothing else shares the buffers, so they can be transferred or freed. The
 * stream is paused between two reads, so a sender waits for a slow reader.
 */
import type { IncomingMessage } from 'node:http'
import type { BodyReader } from './http/steady-reader.ts'

type Read = Awaited<ReturnType<BodyReader['read']>>

export function bodyReader(incoming: IncomingMessage): BodyReader {
  /** Pieces that have arrived and were not read yet. The parser can deliver a few more pieces after it was paused. */
  const pieces: Buffer[] = []
  let ending: { error?: unknown } | undefined
  let waiting: { resolve(read: Read): void; reject(error: unknown): void } | undefined

  function answer() {
    if (waiting === undefined) return
    const { resolve, reject } = waiting
    const piece = pieces.shift()
    if (piece === undefined && ending === undefined) return
    waiting = undefined
    if (piece !== undefined) resolve({ done: false, value: piece })
    else if (ending?.error !== undefined) reject(ending.error)
    else resolve({ done: true, value: undefined })
  }
  function end(error?: unknown) {
    ending ??= error === undefined ? {} : { error }
    answer()
  }

  incoming.on('data', (piece: Buffer) => {
    pieces.push(piece)
    incoming.pause()
    answer()
  })
  incoming.on('end', () => end())
  incoming.on('error', end)
  incoming.on('close', () => end(incoming.complete ? undefined : new Error('The connection was closed.')))
  incoming.pause()

  return {
    read: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        if (pieces.length === 0 && ending === undefined) incoming.resume()
        else answer()
      }),
    async cancel() {
      pieces.length = 0
      incoming.destroy()
    },
  }
}
