const PREFIX = 3
/** First bytes of a client: 'W', 'A', version 6 of the protocol, and version 3 of the dictionary. */
export const INTRO = Buffer.from([0x57, 0x41, 6, 3])
const ROUTING_PREFIX = Buffer.from('ED')

export function frame(payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX + payload.length)
  bytes.writeUIntBE(payload.length, 0, PREFIX)
  bytes.set(payload, PREFIX)
  return bytes
}

export interface FrameSplitter {
  /** Returns the frames that are now complete. Throws if the stream does not begin like that of a client. */
  push(bytes: Buffer): Buffer[]
}

/**
 * Splits the stream of a client into frames. The stream has an optional routing header, an intro, and frames, which may
 * be divided between WebSocket messages.
 */
export function createFrameSplitter(): FrameSplitter {
  let waiting: Buffer = Buffer.alloc(0)
  let introSeen = false

  function takeIntro(): boolean {
    let offset = 0
    if (waiting.length < 2) return false
    if (waiting.subarray(0, 2).equals(ROUTING_PREFIX)) {
      // The routing header consists of 'E' 'D' 00 01, the length in 3 bytes, and `routing_info`.
      if (waiting.length < 7) return false
      offset = 7 + waiting.readUIntBE(4, 3)
    }
    if (waiting.length < offset + INTRO.length) return false
    if (!waiting.subarray(offset, offset + INTRO.length).equals(INTRO)) throw new Error('the client did not begin with WA 6 3')
    waiting = waiting.subarray(offset + INTRO.length)
    return true
  }

  return {
    push(bytes) {
      waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes])
      if (!introSeen) introSeen = takeIntro()
      const frames: Buffer[] = []
      while (introSeen && waiting.length >= PREFIX) {
        const size = waiting.readUIntBE(0, PREFIX)
        if (waiting.length < PREFIX + size) break
        frames.push(waiting.subarray(PREFIX, PREFIX + size))
        waiting = waiting.subarray(PREFIX + size)
      }
      return frames
    },
  }
}
