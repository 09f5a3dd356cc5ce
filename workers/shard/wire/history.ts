/**
 * Decodes the history that a phone sends to a new device: one protobuf of any size, which arrives inflated and in
 * pieces. Between two pieces, memory holds only one incomplete field and one chat without its messages. Messages are
 * skipped, except the newest one. In a chat with a LID, messages are read until a receipt contains the person's number.
 */
import { isHostedLidUser, isHostedPnUser, isLidUser, isPnUser, type proto as Proto, proto } from '@whiskeysockets/baileys'
import { BYTES, fixed, NotProtobuf, VARINT, varint } from './protobuf.ts'

/** One item of a history. */
export type HistoryPiece =
  | { kind: 'chat'; chat: HistoryChat }
  | { kind: 'pushName'; jid: string; name: string }
  | { kind: 'pair'; pn: string; lid: string }
  | { kind: 'pastParticipants'; group: string; participants: readonly Proto.IPastParticipant[] }
  | { kind: 'settings'; settings: Proto.IGlobalSettings }
  /** Salt for the tokens that are sent to contacts who gave no token (`chat-token.ts`). */
  | { kind: 'chatTokenSalt'; salt: Uint8Array }

/**
 * A chat as it is on the phone, without its messages. `name` is the saved name; times are in seconds. If the phone
 * omitted a field, it is undefined; an omitted list is empty.
 */
export interface HistoryChat extends Omit<Proto.IConversation, 'messages'> {
  id: string
  /** The newest message of the chat. Phones write it before the other messages. */
  newest: { id: string; fromMe: boolean; participant: string | undefined; timestamp: number } | undefined
}

export interface HistoryParser {
  /**
   * Yields the complete pieces. The generator must be read to its end before the next call. Throws `DamagedHistory`.
   */
  push(bytes: Uint8Array): Generator<HistoryPiece, void>
  /** Call this after the last bytes. Throws `DamagedHistory` if data is missing. */
  end(): void
  /** Number of bytes of incomplete data that are in memory. */
  readonly held: number
}

export class DamagedHistory extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`a history cannot be read: ${what}`, options)
    this.name = 'DamagedHistory'
  }
}

/**
 * Maximum number of bytes of a field, except a whole chat; a longer field is skipped. A name, a token or a list of a
 * thousand members is far smaller.
 */
const MAX_FIELD = 2 ** 20
/** Maximum number of bytes of one chat that are kept. Fields that would exceed it are skipped. */
const MAX_CHAT = 2 ** 20

const CONVERSATIONS = 2
const DECODED = new Map<number, (bytes: Uint8Array) => HistoryPiece | null>([
  [7, (bytes) => pushName(proto.Pushname.decode(bytes))],
  [8, (bytes) => ({ kind: 'settings', settings: proto.GlobalSettings.decode(bytes) })],
  [12, (bytes) => pastParticipants(proto.PastParticipants.decode(bytes))],
  [15, (bytes) => pairOf(proto.PhoneNumberToLIDMapping.decode(bytes))],
  // The library's definition lacks `nctSalt`. The bytes are copied, because a view would keep the whole piece of the
  // stream in memory.
  [19, (bytes) => (bytes.length > 0 ? { kind: 'chatTokenSalt', salt: Uint8Array.from(bytes) } : null)],
])
const ID = 1
const MESSAGES = 2

interface OpenChat {
  left: number
  parts: Uint8Array[]
  size: number
  isLid: boolean
  newest: HistoryChat['newest']
  /**
   * Jid with the number of the other person, from a receipt for a message of the account. It is used for a chat that
   * has only a LID.
   */
  receiptFrom: string | undefined
}

export function historyParser(): HistoryParser {
  let bytes: Uint8Array = new Uint8Array(0)
  let at = 0
  let later: Uint8Array[] = []
  let size = 0
  let needed = 0
  let skipping = 0
  let chat: OpenChat | null = null

  function isWhole({ start, end }: Field): boolean {
    if (end <= bytes.length) return true
    needed = end - start
    return false
  }

  function skipTo(end: number) {
    skipping = Math.max(0, end - bytes.length)
    at = Math.min(end, bytes.length)
  }

  function chatField(open: OpenChat): boolean {
    const next = fieldAt(bytes, at)
    if (!next) return false
    const { number, start, data, end, isBytes } = next
    if (end - start > open.left) throw new DamagedHistory('a field is longer than the chat that contains it')
    const isMessage = isBytes && number === MESSAGES
    const isWanted = isMessage ? wantsMessage(open) : open.size + end - start <= MAX_CHAT
    if (!isWanted || end - start > MAX_FIELD) {
      open.left -= end - start
      skipTo(end)
      return true
    }
    if (!isWhole(next)) return false
    if (isMessage) lookAt(open, bytes.subarray(data, end))
    else {
      if (isBytes && number === ID) open.isLid = isLid(Buffer.from(bytes.subarray(data, end)).toString())
      open.parts.push(Uint8Array.from(bytes.subarray(start, end)))
      open.size += end - start
    }
    open.left -= end - start
    at = end
    return true
  }

  function* topField(): Generator<HistoryPiece, boolean> {
    const next = fieldAt(bytes, at)
    if (!next) return false
    const { number, start, data, end, isBytes } = next
    if (isBytes && number === CONVERSATIONS) {
      at = data
      chat = { left: end - data, parts: [], size: 0, isLid: false, newest: undefined, receiptFrom: undefined }
      return true
    }
    const read = isBytes ? DECODED.get(number) : undefined
    if (!read || end - start > MAX_FIELD) {
      skipTo(end)
      return true
    }
    if (!isWhole(next)) return false
    at = end
    const piece = wrapped(() => read(bytes.subarray(data, end)))
    if (piece) yield piece
    return true
  }

  function* pieces(): Generator<HistoryPiece, void> {
    for (;;) {
      if (skipping > 0) return
      if (chat?.left === 0) {
        const done: OpenChat = chat
        chat = null
        yield* chatDone(done)
      } else if (!(chat ? chatField(chat) : yield* topField())) return
    }
  }

  return {
    *push(chunk) {
      const passed = Math.min(skipping, chunk.length)
      skipping -= passed
      if (passed < chunk.length) {
        later.push(chunk.subarray(passed))
        size += chunk.length - passed
      }
      if (skipping > 0 || size < needed) return
      bytes = later.length === 1 ? later[0]! : Buffer.concat(later)
      at = 0
      needed = 0
      try {
        yield* pieces()
      } catch (error) {
        throw error instanceof NotProtobuf ? new DamagedHistory(error.message) : error
      }
      // Only the incomplete rest is copied, because the pieces of the stream are large.
      later = at < bytes.length ? [Uint8Array.from(bytes.subarray(at))] : []
      size = bytes.length - at
      bytes = new Uint8Array(0)
    },
    end() {
      if (chat || skipping > 0 || size > 0) throw new DamagedHistory('the data ends too early')
    },
    get held() {
      return size + (chat?.size ?? 0)
    },
  }
}

interface Field {
  number: number
  start: number
  data: number
  end: number
  isBytes: boolean
}

function fieldAt(bytes: Uint8Array, start: number): Field | null {
  const tag = varint(bytes, start)
  if (!tag) return null
  const number = Math.floor(tag.value / 8)
  const type = tag.value % 8
  if (number === 0) throw new DamagedHistory('a field has no number')
  if (type === BYTES) {
    const length = varint(bytes, tag.end)
    if (!length) return null
    return { number, start, data: length.end, end: length.end + length.value, isBytes: true }
  }
  const end = type === VARINT ? varint(bytes, tag.end)?.end : tag.end + fixed(type)
  if (end === undefined || end > bytes.length) return null
  return { number, start, data: tag.end, end, isBytes: false }
}

function* chatDone({ parts, newest, receiptFrom }: OpenChat): Generator<HistoryPiece, void> {
  const decoded = decode(proto.Conversation, Buffer.concat(parts))
  if (!decoded.id) return
  const { messages: _, ...said } = decoded
  yield { kind: 'chat', chat: { ...said, id: decoded.id, newest } }
  const pair = pairOfChat(decoded, receiptFrom)
  if (pair) yield pair
}

const wantsMessage = ({ newest, isLid, receiptFrom }: OpenChat) => !newest || (isLid && receiptFrom === undefined)

function lookAt(open: OpenChat, bytes: Uint8Array) {
  const { message } = decode(proto.HistorySyncMsg, bytes)
  const { key, messageTimestamp, userReceipt } = message ?? {}
  if (!open.newest && key?.id)
    open.newest = {
      id: key.id,
      fromMe: key.fromMe ?? false,
      participant: key.participant ?? undefined,
      timestamp: Number(messageTimestamp ?? 0),
    }
  const reader = userReceipt?.[0]?.userJid
  // In a 1:1 chat, a receipt of the account's own message comes from the other person.
  if (open.isLid && key?.fromMe && reader && isPn(reader)) open.receiptFrom = reader
}

const isLid = (jid: string | null | undefined) => !!jid && (isLidUser(jid) || isHostedLidUser(jid)) === true
const isPn = (jid: string | null | undefined) => !!jid && (isPnUser(jid) || isHostedPnUser(jid)) === true

function pairOfChat({ id, pnJid, lidJid }: Proto.IConversation, receiptFrom: string | undefined): HistoryPiece | null {
  if (isLid(id)) return pairOf({ lidJid: id, pnJid: pnJid || receiptFrom })
  return isPn(id) ? pairOf({ pnJid: id, lidJid }) : null
}

function pairOf({ pnJid, lidJid }: Pick<Proto.IConversation, 'pnJid' | 'lidJid'>): HistoryPiece | null {
  return pnJid && lidJid && isPn(pnJid) && isLid(lidJid) ? { kind: 'pair', pn: pnJid, lid: lidJid } : null
}

const pushName = ({ id, pushname }: Proto.IPushname): HistoryPiece | null =>
  id && pushname ? { kind: 'pushName', jid: id, name: pushname } : null

const pastParticipants = ({ groupJid, pastParticipants: participants }: Proto.IPastParticipants): HistoryPiece | null =>
  groupJid ? { kind: 'pastParticipants', group: groupJid, participants: participants ?? [] } : null

function wrapped<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new DamagedHistory('a field has an unexpected type', { cause })
  }
}

const decode = <T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T => wrapped(() => type.decode(bytes))
