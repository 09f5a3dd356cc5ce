/**
 * Messages that others refer to: what was received and sent since the start (`recent.ts`), and what this service sent within the last day, which is
 * on disk for resends (`sent.ts`). What edits one of them, or deletes it, is taken over: it is quoted and forwarded as it is, not as it first was.
 */
import { proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import type { Recent } from '../chats/recent.ts'
import type { Sent } from './sent.ts'

const { Type } = proto.Message.ProtocolMessage

export interface KnownMessages extends Pick<Recent, 'add' | 'received'> {
  /** The first that came under this id and fits. */
  get(id: string, fits: (key: WAMessageKey) => boolean): Promise<WAMessage | undefined>
  /** `content`: all of what it is from now on. */
  edited(message: WAMessage, content: proto.IMessage): Promise<void>
  /** For everybody in its chat. */
  deleted(message: WAMessage): Promise<void>
}

export function createKnownMessages({
  recent,
  sent,
}: {
  recent: Recent
  sent: Pick<Sent, 'stored' | 'change' | 'remove'>
}): KnownMessages {
  /** A row of an earlier version, without its stanza, is of an unknown chat. */
  async function stored(id: string): Promise<WAMessage | undefined> {
    const { message, stanza, at } = (await sent.stored(id)) ?? {}
    if (!message || !stanza || at === undefined) return undefined
    const key = { remoteJid: stanza.to, id, fromMe: true }
    return { key, message, messageTimestamp: Math.floor(at / SECOND) } as WAMessage
  }

  return {
    add: recent.add,
    received: recent.received,
    async get(id, fits) {
      const known = recent.get(id, fits)
      if (known) return known
      const own = await stored(id)
      return own && fits(own.key) ? own : undefined
    },
    async edited(message, content) {
      // Its secret stays: reactions and answers to it are sealed with that.
      const { messageContextInfo } = message.message ?? {}
      const changed = { ...content, ...(messageContextInfo ? { messageContextInfo } : {}) }
      recent.add({ ...message, message: changed })
      if (message.key.fromMe) await sent.change(message.key.id ?? '', changed)
    },
    async deleted(message) {
      // The key is kept: the account may still remove it from its own devices.
      const { id, remoteJid, fromMe } = message.key
      recent.add({ ...message, message: { protocolMessage: { type: Type.REVOKE, key: { id, remoteJid, fromMe } } } } as WAMessage)
      if (fromMe) await sent.remove(id ?? '')
    },
  }
}

/** Its content is gone. */
export const isDeleted = ({ message }: { message?: proto.IMessage | null }): boolean =>
  message?.protocolMessage?.type === Type.REVOKE
