/**
 * Stores the secrets that decrypt later parts of a message: votes, answers to events, edits, reactions and comments.
 * There is at most one encrypted row per message. It is written in the commit of the message's event, or before the
 * message is sent.
 */
import { createHash } from 'node:crypto'
import { proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import type { Op } from '../../../src/storage/contract.ts'
import { createFairGenerations } from '../../../src/storage/fair-generations.ts'
import type { Term } from '../../../src/storage/generations.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import { type Field, unwrap } from '../translate/inbound/content.ts'
import type { KnownMessage } from '../translate/inbound/family.ts'
import { POLLS } from '../translate/inbound/poll.ts'
import { CAPTIONED } from '../translate/inbound/protocol.ts'
import { chatNamesOf, namesOf } from '../translate/inbound/referenced.ts'
import { SECRET_BYTES, secretOf } from '../translate/inbound/secret.ts'
import { FACETS, type FacetContext } from './facets.ts'

/** Largest stored message, in bytes. A poll with twelve options of 100 characters has at most 5 kB. */
const MAX_MESSAGE_BYTES = 8 * 1_024

export type Terms = Record<'asked' | 'said', Term>

const TERMS: Terms = { asked: FACETS.askedSecret, said: FACETS.saidSecret }

/** Message fields for content that refers to another message, and that is never edited or answered itself. */
const ABOUT_OTHERS = new Set<Field>([
  'reactionMessage',
  'encReactionMessage',
  'pollUpdateMessage',
  'encEventResponseMessage',
  'protocolMessage',
  'secretEncryptedMessage',
  'pinInChatMessage',
])

const Row = v.object({
  /** Number and LID of the author, as the message contained them; null for the account itself. */
  authors: v.nullable(v.array(v.string())),
  /** Jids of the chat. Absent if none was known, and in rows of an older version. */
  chats: v.optional(v.array(v.string())),
  /** Protobuf of the kept parts of the message, in base64. */
  message: v.string(),
})

export interface Secrets {
  load(): Promise<void>
  /**
   * Returns the operations for the commit before a poll or event is sent. Returns none for other messages, because sent
   * messages are stored in full for a day.
   */
  ownOps(message: Pick<WAMessage, 'key' | 'message'>): Op[]
  /**
   * Returns the operations for the commit of a received message; none if no encrypted message can refer to it. A
   * message of others does not replace a row with its id, because senders choose ids.
   */
  opsUnlessTaken(message: Pick<WAMessage, 'key' | 'message'>): Promise<Op[]>
  /**
   * Returns the kept parts of a message, or null. `chat`: every jid of the chat in which the reference was sent. A
   * message of another chat does not match.
   */
  get(id: string, chat: ReadonlySet<string>): Promise<KnownMessage | null>
  forget(): Promise<void>
}

export function createSecrets(
  { id: instance, store, sealer, clock, log, retention }: FacetContext,
  terms: Terms = TERMS,
): Secrets {
  /**
   * Returns the hash of an id. Senders choose ids, which may have any form, so they are hashed before they are sealed.
   */
  const nameOf = (id: string) => sealer.blindOnce(createHash('sha256').update(id).digest('base64url').slice(0, 22))
  const rows = repository({ name: 'message secret', schema: Row, version: 1, sealed: sealer })
  const termOf = (name: keyof Terms) =>
    createFairGenerations({
      store,
      clock,
      prefix: keys.secretsOf(instance, name),
      crowdPrefix: keys.secretsOf(instance, `${name}-crowd`),
      ...terms[name],
    })
  const generations = { asked: termOf('asked'), said: termOf('said') }
  const all = Object.values(generations)
  const sweepSoon = retention.covers(async (isStopped) => {
    for (const each of all) await each.removeOld(isStopped)
  }, 'expired message secrets could not be removed')

  async function find(name: string): Promise<{ key: string; bytes: Uint8Array }[]> {
    const found = await Promise.all(
      all.flatMap((each) => each.keys(name)).map(async (key) => ({ key, bytes: await store.get(key) })),
    )
    return found.flatMap(({ key, bytes }) => (bytes ? [{ key, bytes }] : []))
  }

  function keepable({ key, message }: Pick<WAMessage, 'key' | 'message'>, isWanted = (_: keyof Terms) => true) {
    const kept = key.id && message ? keptOf(message) : null
    if (!kept || !key.id || !isWanted(kept.term)) return null
    const encoded = proto.Message.encode(kept.message).finish()
    return encoded.byteLength > MAX_MESSAGE_BYTES ? null : { term: kept.term, encoded, key, name: nameOf(key.id) }
  }

  function opsOf({ term, encoded, key, name }: NonNullable<ReturnType<typeof keepable>>): Op[] {
    const into = generations[term]
    const chats = chatNamesOf(key)
    const place = into.next(name, sealer.blind(chats[0] ?? ''))
    if (place.isNew) sweepSoon()
    const authors = key.fromMe ? null : namesOf(key)
    const where = chats.length > 0 ? { chats } : {}
    const op = rows.encode(place.key, { authors, ...where, message: Buffer.from(encoded).toString('base64') })
    place.count(op[1]?.byteLength ?? 0)
    return [op]
  }

  return {
    ownOps(message) {
      const kept = keepable(message, (term) => term === 'asked')
      return kept ? opsOf(kept) : []
    },
    async opsUnlessTaken(message) {
      const kept = keepable(message)
      if (!kept) return []
      return message.key.fromMe || (await find(kept.name)).length === 0 ? opsOf(kept) : []
    },
    async load() {
      await Promise.all(all.map((each) => each.load()))
    },
    async get(id, chat) {
      for (const { key, bytes } of await find(nameOf(id))) {
        try {
          const { authors, chats, message } = rows.decode(key, bytes)
          if (chats && !chats.some((name) => chat.has(name))) continue
          return { key: keyOf(id, authors), message: proto.Message.decode(Buffer.from(message, 'base64')) }
        } catch (error) {
          log.error({ err: error, message_id: id }, 'the stored secret of a message could not be decoded')
        }
      }
      return null
    },
    async forget() {
      await retention.idle()
      await removeAll(store, keys.secrets(instance))
      for (const each of all) each.forgotten()
    },
  }
}

function keyOf(id: string, authors: readonly string[] | null): WAMessageKey {
  const [participant, participantAlt] = authors ?? []
  if (participant === undefined) return { id, fromMe: true }
  return { id, fromMe: false, participant, ...(participantAlt === undefined ? {} : { participantAlt }) }
}

/** Returns the parts of the message to keep, and for how long. Null if there is nothing to keep. */
function keptOf(message: proto.IMessage): { term: keyof Terms; message: proto.IMessage } | null {
  const content = unwrap(message)
  const messageSecret = secretOf(message)
  if (!content || messageSecret?.length !== SECRET_BYTES || ABOUT_OTHERS.has(content.field)) return null
  const kept: proto.IMessage = { messageContextInfo: { messageSecret } }
  const poll = POLLS.find((field) => field === content.field)
  if (poll) {
    const options = content.message[poll]?.options?.map(({ optionName }) => ({ optionName: optionName ?? '' })) ?? []
    return { term: 'asked', message: { ...kept, [poll]: { options } } }
  }
  if (content.field === 'eventMessage') return { term: 'asked', message: kept }
  const captioned = CAPTIONED.find((field) => field === content.field)
  return { term: 'said', message: captioned ? { ...kept, [captioned]: fileOf(content.message[captioned]!) } : kept }
}

type File = proto.Message.IImageMessage & proto.Message.IVideoMessage & proto.Message.IDocumentMessage

/**
 * Removes the fields that are needed neither for the event nor for the decryption of the file. The file itself is kept,
 * because an edit of the caption may arrive without it.
 */
function fileOf(file: File): File {
  const { caption, contextInfo, jpegThumbnail, scansSidecar, streamingSidecar, interactiveAnnotations, ...rest } = file
  return rest
}
