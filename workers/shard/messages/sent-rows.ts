/**
 * The rows about sent messages on disk. A row begins with the time of writing, so that old rows are removed without
 * being decrypted.
 */
import { BufferJSON, proto } from '@whiskeysockets/baileys'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Stanza } from '../translate/outbound/stanza.ts'
import type { FacetContext } from './facets.ts'

export interface StoredMessage {
  message: proto.IMessage
  /** Epoch ms at which the message was about to be sent. */
  at: number
  /** Absent in rows of an older version. */
  stanza?: Stanza
}

export type SentRow = readonly [key: string, value: Uint8Array]

/** Length in bytes of the time (epoch ms) at the beginning of each row. */
const TIME_BYTES = 8

export function sentRows({ id: instance, sealer }: Pick<FacetContext, 'id' | 'sealer'>) {
  const messageKey = (messageId: string) => keys.sent(instance, messageId)
  const postKey = (newsletter: string, serverId: string) =>
    keys.sentPost(instance, sealer.blind(`post ${serverId} ${newsletter}`))

  function sealed(key: string, at: number, content: Uint8Array): SentRow {
    const time = Buffer.alloc(TIME_BYTES)
    time.writeBigUInt64BE(BigInt(at))
    return [key, Buffer.concat([time, sealer.seal(key, content)])]
  }
  const opened = (key: string, value: Uint8Array) => sealer.open(key, value.subarray(TIME_BYTES))

  return {
    prefixes: [keys.sents(instance), keys.sentPosts(instance)],
    messageKey,
    postKey,
    message: (messageId: string, { message, stanza, at }: Required<StoredMessage>): SentRow =>
      sealed(messageKey(messageId), at, packed(message, stanza)),
    /** Returns the row that finds a channel post by its number. It contains the id of the message. */
    post: (newsletter: string, serverId: string, at: number, messageId: string): SentRow =>
      sealed(postKey(newsletter, serverId), at, Buffer.from(messageId)),
    /** Decodes the row of a message. Throws if the row is damaged. */
    openMessage: (key: string, value: Uint8Array): StoredMessage => ({ ...unpacked(opened(key, value)), at: timeOf(value) }),
    /** Returns the message id in the row of a post. Throws if the row is damaged. */
    openPost: (key: string, value: Uint8Array): string => Buffer.from(opened(key, value)).toString(),
  }
}

export const timeOf = (value: Uint8Array) => Number(Buffer.from(value.buffer, value.byteOffset, TIME_BYTES).readBigUInt64BE())

/**
 * First byte of a row with a stanza. After it follow the length of the stanza's JSON in four bytes, the JSON, and the
 * message. Older rows contain only the message, which cannot begin with a byte below 8.
 */
const WITH_STANZA = 1
const STANZA_AT = 5

function packed(message: proto.IMessage, stanza: Stanza): Uint8Array {
  const json = Buffer.from(JSON.stringify(stanza, BufferJSON.replacer))
  const head = Buffer.alloc(STANZA_AT)
  head[0] = WITH_STANZA
  head.writeUInt32BE(json.byteLength, 1)
  return Buffer.concat([head, json, proto.Message.encode(message).finish()])
}

function unpacked(bytes: Uint8Array): Omit<StoredMessage, 'at'> {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (row[0] !== WITH_STANZA) return { message: proto.Message.decode(row) }
  const end = STANZA_AT + row.readUInt32BE(1)
  const stanza = JSON.parse(row.toString('utf8', STANZA_AT, end), BufferJSON.reviver) as Stanza
  return { message: proto.Message.decode(row.subarray(end)), stanza }
}
