/**
 * Frees the memory of buffers immediately. The garbage collector would free it late, because it counts the small objects on the heap and not the
 * memory behind them. Large bodies arrive faster than it runs, and an idle thread would keep their memory for half a minute.
 */

/** Number of bytes below which the call is not worth its cost. */
const WORTH_IT = 262_144

/** Every view of these buffers is empty afterwards. A piece that is only a part of its buffer is not freed, because others may use the rest. */
export function giveBack(pieces: readonly Uint8Array[]): void {
  const buffers = [...new Set(pieces.flatMap(({ buffer, byteLength }) => (isOwn(buffer, byteLength) ? buffer : [])))]
  if (buffers.reduce((sum, { byteLength }) => sum + byteLength, 0) < WORTH_IT) return
  // A buffer that is transferred in a message is freed with the message, which nobody receives.
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(null, buffers)
  port1.close()
  port2.close()
}

const isOwn = (buffer: ArrayBufferLike, byteLength: number): buffer is ArrayBuffer =>
  buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength
