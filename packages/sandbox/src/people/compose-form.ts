import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import type { Composed } from './composed.ts'
import { unwrap } from './describe.ts'
import type { MediaKind } from './media.ts'

/** A message of the chat to which another message refers. */
export interface KnownMessage {
  id: string
  /** JID of the author, with the number and without a device part. */
  author: string
  message: proto.IMessage
}

/** The context of a chat in which a message is composed. Its JIDs have no device part. */
export interface ComposeContext {
  /** The JID of the chat as the sender addresses it. */
  chat: string
  /** JID of the sender. It contains the number. */
  self: string
  /** Finds a message of this chat by its id. */
  find(id: string): KnownMessage | undefined
  /** Returns the JID of a person by number or LID, as this chat uses it. The person is given as a number, a LID or a JID. */
  jid(person: string): string
  /** Stores media on the media host. They are encrypted, except for those of channels. */
  upload(blob: Uint8Array, kind: MediaKind): Promise<{ url: string; directPath: string }>
  /** Current time in ms. */
  now(): number
}

/** Adds the common fields of the request (such as quote, mentions and forwarded) to a content. */
export type AddContext = (content: proto.IMessage) => void

/**
 * A kind of message that the control API can compose. `siblings`: the other fields of the message, beside the one that names the kind: `{ image:
 * base64, mime, caption }`.
 */
export interface Form {
  siblings: readonly string[]
  make(input: unknown, context: ComposeContext, siblings: Record<string, unknown>, addContext: AddContext): Promise<Composed>
}

/** Makes such a kind from its schema and its function. `path`: path of the input in the request, for error messages. */
export function form<S extends v.GenericSchema>(
  path: string,
  schema: S,
  make: (input: v.InferOutput<S>, context: ComposeContext, addContext: AddContext) => Composed | Promise<Composed>,
): Form {
  return { siblings: [], make: async (input, context, _, addContext) => make(parsed(schema, input, path), context, addContext) }
}

export function parsed<S extends v.GenericSchema>(schema: S, input: unknown, path: string): v.InferOutput<S> {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  throw new ControlError('invalid_request', sayIssue(result.issues[0], path))
}

/** Formats an issue as a sentence: `message.poll.options.0: Expected string but received 1`. */
function sayIssue(issue: v.BaseIssue<unknown>, path = ''): string {
  const inside = v.getDotPath(issue)
  const where = [path, inside].filter(Boolean).join('.')
  return where ? `${where}: ${issue.message}` : issue.message
}

/**
 * Finds the message to which the request refers, without its wrappers. If the id is unknown, the request is refused.
 */
export function known(context: ComposeContext, id: string): KnownMessage {
  const found = context.find(id)
  if (!found) throw new ControlError('invalid_request', `message: ${id} is not a message of this chat`)
  const content = unwrap(found.message)
  const messageContextInfo = found.message.messageContextInfo ?? content.messageContextInfo
  return { ...found, message: { ...content, ...(messageContextInfo ? { messageContextInfo } : {}) } }
}

/** Builds the key that refers to this message from the sender's point of view, as phones do. */
export function keyOf(context: ComposeContext, message: KnownMessage): proto.IMessageKey {
  const isGroup = context.chat.endsWith('@g.us')
  const isOwn = message.author === context.self
  return {
    remoteJid: context.chat,
    fromMe: isOwn,
    id: message.id,
    ...(isGroup ? { participant: context.jid(message.author) } : {}),
  }
}
