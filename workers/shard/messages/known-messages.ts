/**
 * Finds messages to which other messages refer: received and sent ones since the start, and sent ones of the last day.
 * Edits and deletions are applied.
 */
import { proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { contextInfo, unwrap } from '../translate/inbound/content.ts'
import { isViewOnce } from '../translate/outbound/forward.ts'
import { isPostChange } from '../translate/outbound/stanza.ts'
import type { Recent } from './recent.ts'
import type { Sent } from './sent.ts'

const { Type } = proto.Message.ProtocolMessage

export interface KnownMessages extends Pick<Recent, 'add' | 'received'> {
  /**
   * Returns the message with this id for whose key `fits` returns true. Our own message is preferred. Of the messages
   * of others, the one that arrived first is returned.
   */
  get(id: string, fits: (key: WAMessageKey) => boolean): Promise<WAMessage | undefined>
  /** Stores the edit of a message. `content`: the complete content after the edit. A deleted message stays deleted. */
  edited(message: WAMessage, content: proto.IMessage): Promise<void>
  /** Stores that the message was deleted for everybody in its chat. */
  deleted(message: WAMessage): Promise<void>
}

export function createKnownMessages({ recent, sent }: { recent: Recent; sent: Pick<Sent, 'stored' | 'change'> }): KnownMessages {
  /**
   * Returns a sent message from disk. Undefined if there is no row, if an earlier version wrote the row without its
   * chat, or for a change of a channel post, which has the id of the post.
   */
  async function stored(id: string): Promise<WAMessage | undefined> {
    const { message, stanza, at } = (await sent.stored(id)) ?? {}
    if (!message || !stanza || at === undefined || isPostChange(stanza)) return undefined
    const number = stanza.serverId === undefined ? {} : { server_id: stanza.serverId }
    const key = { remoteJid: stanza.to, id, fromMe: true, ...number }
    return { key, message, messageTimestamp: Math.floor(at / SECOND) } as WAMessage
  }

  /** Returns the message as it is now. It may have changed since it was looked up. */
  const asItIs = ({ key }: WAMessage) => recent.get(key.id ?? '', isSame(key))

  return {
    received: recent.received,
    add(message) {
      // The phone may delete a message before the ack of this message arrives. The ack must not add the deleted
      // message again.
      const known = asItIs(message)
      if (!known || !isDeleted(known)) recent.add(message)
    },
    async get(id, fits) {
      const known = recent.get(id, fits)
      if (known?.key.fromMe) return known
      // Senders choose ids, so another person's message may have the id of ours. Ours is preferred.
      const own = await stored(id)
      return own && fits(own.key) ? own : known
    },
    async edited(message, content) {
      const known = asItIs(message) ?? message
      if (isDeleted(known)) return
      const changed = (before: proto.IMessage) => (isDeleted({ ...known, message: before }) ? undefined : edited(before, content))
      recent.add({ ...known, message: edited(known.message ?? {}, content) })
      if (known.key.fromMe) await sent.change(known.key.id ?? '', changed)
    },
    async deleted(message) {
      // The key is kept, because the account may still remove the deleted message from its own devices.
      const { id, remoteJid, fromMe } = message.key
      const nothing = { protocolMessage: { type: Type.REVOKE, key: { id, remoteJid, fromMe } } } as proto.IMessage
      recent.add({ ...message, message: nothing } as WAMessage)
      if (fromMe) await sent.change(id ?? '', () => nothing)
    },
  }
}

const isSame =
  (one: WAMessageKey) =>
  (other: WAMessageKey): boolean =>
    Boolean(one.fromMe) === Boolean(other.fromMe) && one.remoteJid === other.remoteJid && one.participant === other.participant

/** Whether the content of the message was deleted. The message that deletes another one is not itself deleted. */
export const isDeleted = ({ key, message }: Pick<WAMessage, 'key' | 'message'>): boolean =>
  message?.protocolMessage?.type === Type.REVOKE && message.protocolMessage.key?.id === key.id

/**
 * Returns the message after an edit. It keeps the secret, the quote, the expiry and the view-once flag from before the
 * edit. The mentions are those of the edit.
 */
function edited(before: proto.IMessage, after: proto.IMessage): proto.IMessage {
  const old = unwrap(before)
  const info = old && contextInfo(old)
  const content = info ? withInfo(after, { ...info, mentionedJid: [], nonJidMentions: null }) : after
  const shown = isViewOnce(before) && !isViewOnce(content) ? { viewOnceMessageV2: { message: content } } : content
  const aside = old?.aside ?? {}
  return { ...shown, ...(Object.keys(aside).length > 0 ? { messageContextInfo: aside } : {}) }
}

function withInfo(message: proto.IMessage, info: proto.IContextInfo): proto.IMessage {
  const { conversation, ...rest } = message
  const holding = conversation ? { ...rest, extendedTextMessage: { text: conversation } } : message
  const copy = proto.Message.decode(proto.Message.encode(holding).finish())
  const found = unwrap(copy)
  const content = found?.message[found.field]
  if (typeof content !== 'object' || content === null) return copy
  const holder = content as { contextInfo?: proto.IContextInfo | null }
  holder.contextInfo = { ...info, ...holder.contextInfo }
  return copy
}
