/**
 * Frees the memory of buffers immediately. The garbage collector would free it late, because it counts the small
 * objects on the heap and not the buffers.
 */

const WORTH_IT = 262_144

/**
 * Frees the buffers of these pieces; every view of them is then empty. Nothing is freed if they are small together. A
 * piece that is only a part of its buffer is not freed.
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
