import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { Opened } from '../control/network-control.ts'
import { describe, unwrap } from './describe.ts'
import { type SecretPurpose, unsealAbout } from './secret.ts'

export interface OpenContext {
  /**
   * Finds a message by its id. Its author is a JID of the kind that the chat uses (number or LID), without a device
   * part.
   */
  find(id: string): { author: string; message: proto.IMessage } | undefined
  /** JID of the sender, of the kind that the chat uses (number or LID). */
  sender: string
}

interface Sealed {
  key: proto.IMessageKey | null | undefined
  purpose: SecretPurpose
  payload: Uint8Array | null | undefined
  iv: Uint8Array | null | undefined
  read(plain: Uint8Array, target: proto.IMessage): Opened
}

const RESPONSES = ['unknown', 'going', 'not_going', 'maybe'] as const

function sealedIn(message: proto.IMessage): Sealed | undefined {
  const { pollUpdateMessage, encEventResponseMessage, secretEncryptedMessage, encReactionMessage, encCommentMessage } =
    unwrap(message)
  if (pollUpdateMessage?.vote) {
    const { pollCreationMessageKey: key, vote } = pollUpdateMessage
    return { key, purpose: 'Poll Vote', payload: vote.encPayload, iv: vote.encIv, read: readVote }
  }
  if (encEventResponseMessage) {
    const { eventCreationMessageKey: key, encPayload: payload, encIv: iv } = encEventResponseMessage
    return { key, purpose: 'Event Response', payload, iv, read: readResponse }
  }
  if (encReactionMessage) {
    const { targetMessageKey: key, encPayload: payload, encIv: iv } = encReactionMessage
    const read = (plain: Uint8Array) => ({ text: proto.Message.ReactionMessage.decode(plain).text ?? null })
    return { key, purpose: 'Enc Reaction', payload, iv, read }
  }
  if (encCommentMessage) {
    const { targetMessageKey: key, encPayload: payload, encIv: iv } = encCommentMessage
    return { key, purpose: 'Enc Comment', payload, iv, read: (plain) => ({ text: describe(proto.Message.decode(plain)).text }) }
  }
  if (secretEncryptedMessage) {
    const { targetMessageKey: key, encPayload: payload, encIv: iv, secretEncType } = secretEncryptedMessage
    const { SecretEncType } = proto.Message.SecretEncryptedMessage
    const purpose = secretEncType === SecretEncType.EVENT_EDIT ? 'Event Edit' : 'Message Edit'
    return { key, purpose, payload, iv, read: (plain) => ({ text: describe(proto.Message.decode(plain)).text }) }
  }
  return undefined
}

function readVote(plain: Uint8Array, target: proto.IMessage): Opened {
  const { pollCreationMessage: first, pollCreationMessageV2: second, pollCreationMessageV3: third } = unwrap(target)
  const offered = (third ?? second ?? first)?.options?.map(({ optionName }) => optionName ?? '') ?? []
  const names = new Map(offered.map((name) => [createHash('sha256').update(name).digest('hex'), name]))
  const chosen = proto.Message.PollVoteMessage.decode(plain).selectedOptions
  return { options: chosen.map((hash) => names.get(Buffer.from(hash).toString('hex')) ?? Buffer.from(hash).toString('hex')) }
}

function readResponse(plain: Uint8Array): Opened {
  const { response, extraGuestCount } = proto.Message.EventResponseMessage.decode(plain)
  return { response: RESPONSES[response ?? 0] ?? 'unknown', extra_guests: extraGuestCount ?? 0 }
}

/** Decrypts content that refers to another message. Returns undefined if the message contains no such content. */
export function unseal(message: proto.IMessage, { find, sender }: OpenContext): Opened | undefined {
  const sealed = sealedIn(message)
  if (!sealed) return undefined
  const { key, purpose, payload, iv, read } = sealed
  const target = find(key?.id ?? '')
  const secret =
    target?.message.messageContextInfo?.messageSecret ?? (target && unwrap(target.message).messageContextInfo?.messageSecret)
  if (!target || !secret?.length || !payload || !iv) return { error: `the message ${key?.id} is not known, or has no secret` }
  try {
    return read(
      unsealAbout({ secret, messageId: key?.id ?? '', author: target.author, sender }, purpose, payload, iv),
      target.message,
    )
  } catch {
    return { error: `it is not sealed by ${sender} about a message of ${target.author}` }
  }
}
