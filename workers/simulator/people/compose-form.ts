import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import type { Composed } from './composed.ts'
import { unwrap } from './describe.ts'
import type { MediaKind } from './media.ts'

/** A message of the chat to which another one refers. */
export interface KnownMessage {
  id: string
  /** The author: a JID with the number, without a device part. */
  author: string
  message: proto.IMessage
}

/** Context of the destination for composing. No JID has a device part. */
export interface ComposeContext {
  /** The chat as the sender addresses it. */
  chat: string
  /** JID of the sender, with the number. */
  self: string
  /** Finds a message of this chat by its id. */
  find(id: string): KnownMessage | undefined
  /** Returns the JID of a number, LID or JID in the addressing of this chat. */
  jid(person: string): string
  /** Puts media on the media host, encrypted except for channels. */
  upload(blob: Uint8Array, kind: MediaKind): Promise<{ url: string; directPath: string }>
  /** Current time in ms. */
  now(): number
}

/** Adds the common fields of the request (quote, mentions, forwarded …) to a content. */
export type AddContext = (content: proto.IMessage) => void

/** `siblings`: fields of the message beside the one that determines the form: `{ image: base64, mime, caption }`. */
export interface Form {
  siblings: readonly string[]
  make(input: unknown, context: ComposeContext, siblings: Record<string, unknown>, addContext: AddContext): Promise<Composed>
}

/** Makes a form from its schema and its compose function. `path` is the input's path in the request, for the error message. */
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

/** Writes an issue as a sentence: `message.poll.options.0: Expected string but received 1`. */
function sayIssue(issue: v.BaseIssue<unknown>, path = ''): string {
  const inside = v.getDotPath(issue)
  const where = [path, inside].filter(Boolean).join('.')
  return where ? `${where}: ${issue.message}` : issue.message
}

/** Finds the referenced message, without its wrappers; an unknown id is an error of the request. */
export function known(context: ComposeContext, id: string): KnownMessage {
  const found = context.find(id)
  if (!found) throw new ControlError('invalid_request', `message: ${id} is not a message of this chat`)
  const content = unwrap(found.message)
  const messageContextInfo = found.message.messageContextInfo ?? content.messageContextInfo
  return { ...found, message: { ...content, ...(messageContextInfo ? { messageContextInfo } : {}) } }
}

/** Builds a reference to that message from the sender's point of view, as on phones. */
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
