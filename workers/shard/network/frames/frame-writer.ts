/**
 * Encodes the messages that are sent on a connection. Each message is a frame: three bytes of length, and then the
 * message.
 */
import { sealInto, TAG } from '../noise/cipher.ts'

export interface FrameWriter {
  /**
   * Returns the frame of a message, encrypted if the key is known. The first frame begins with the introduction of the
   * connection. Throws if the message is too long for a frame.
   */
  frame(message: Uint8Array): Buffer
  encryptWith(key: Uint8Array): void
}

const PREFIX = 3
/** Maximum length of an encrypted message in bytes. */
const MAX_LENGTH = 2 ** 24 - 1

export function createFrameWriter(introduction: Uint8Array): FrameWriter {
  let pending: Uint8Array = introduction
  let key: Uint8Array | undefined
  let counter = 0

  return {
    frame(message) {
      // The length is checked before the encryption: an error after it would leave the counter one ahead of the
      // network's.
      if (message.length + TAG > MAX_LENGTH) throw new RangeError(`a message of ${message.length} bytes is too long for a frame`)
      const length = message.length + (key ? TAG : 0)
      const begin = pending.length + PREFIX
      const frame = Buffer.allocUnsafe(begin + length)
      frame.set(pending)
      frame.writeUIntBE(length, pending.length, PREFIX)
      if (key) sealInto(frame, begin, message, { key, counter: counter++ })
      else frame.set(message, begin)
      pending = NOTHING
      return frame
    },
    encryptWith(next) {
      key = next
    },
  }
}

const NOTHING = new Uint8Array(0)

/** Number of bytes of the mark in front of the routing info: `ED`, two bytes of version, three of length. */
const ROUTING_MARK = 7

/**
 * Returns the bytes with which a connection begins: the routing info, if there is one, then the prologue. The routing
 * info shows the network which of its servers has the account.
 */
export function introductionOf(prologue: Uint8Array, routingInfo: Uint8Array | undefined): Buffer {
  if (!routingInfo) return Buffer.from(prologue)
  const mark = Buffer.alloc(ROUTING_MARK)
  mark.set([0x45, 0x44, 0, 1])
  mark.writeUIntBE(routingInfo.length, 4, PREFIX)
  return Buffer.concat([mark, routingInfo, prologue])
}
