/**
 * The last messages of an instance, for reply, edit, read and retry: bounded by number and by bytes, kept as protobuf so that a message
 * costs its bytes and not its object graph. Gone with the process: what must survive it is in `sent.ts` and
 * `secrets.ts`.
 */
import { proto, type WAMessage } from '@whiskeysockets/baileys'

const MAX_MESSAGES = 4_000
const MAX_BYTES = 8 * 1_024 * 1_024

export interface Recent {
  add(message: WAMessage): void
  /** By id; ids are unique enough that the chat is only asked where a caller may guess (`chat` is a jid). */
  get(id: string): WAMessage | undefined
  readonly size: number
}

export function createRecent(maxMessages = MAX_MESSAGES, maxBytes = MAX_BYTES): Recent {
  const messages = new Map<string, { bytes: Uint8Array; key: WAMessage['key'] }>()
  let bytes = 0

  function drop(id: string) {
    const entry = messages.get(id)
    if (!entry) return
    bytes -= entry.bytes.byteLength
    messages.delete(id)
  }

  return {
    add(message) {
      const { id } = message.key
      if (!id) return
      drop(id)
      const encoded = proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(message)).finish()
      messages.set(id, { bytes: encoded, key: message.key })
      bytes += encoded.byteLength
      for (const oldest of messages.keys()) {
        if (messages.size <= maxMessages && bytes <= maxBytes) break
        drop(oldest)
      }
    },
    get(id) {
      const entry = messages.get(id)
      // The key is kept beside: its alternative jids and addressing are not part of the protobuf.
      return entry && ({ ...proto.WebMessageInfo.decode(entry.bytes), key: entry.key } as WAMessage)
    },
    get size() {
      return messages.size
    },
  }
}
