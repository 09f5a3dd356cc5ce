/**
 * Frees the memory of buffers immediately. The garbage collector would free it late, because it counts the small
 * objects on the heap and not the memory behind them. Large bodies arrive faster than the collector runs, and an idle
 * thread would keep their memory for half a minute.
 */

/** Number of bytes below which freeing is not worth its cost. */
const WORTH_IT = 262_144

/**
 * Frees the buffers of the pieces, unless they are small together; afterwards every view of these buffers is empty. A
 * piece that is only a part of its buffer is not freed, because others may use the rest.
 */
export function giveBack(pieces: readonly Uint8Array[]): void {
  const buffers = [...new Set(pieces.flatMap(({ buffer, byteLength }) => (isOwn(buffer, byteLength) ? buffer : [])))]
  if (buffers.reduce((sum, { byteLength }) => sum + byteLength, 0) < WORTH_IT) return
  // Nobody receives the message, so the transferred buffers are freed with it.
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(null, buffers)
  port1.close()
  port2.close()
}

const isOwn = (buffer: ArrayBufferLike, byteLength: number): buffer is ArrayBuffer =>
  buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength
