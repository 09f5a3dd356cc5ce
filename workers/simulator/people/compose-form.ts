import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import type { Composed } from './composed.ts'
import { unwrap } from './describe.ts'
import type { MediaKind } from './media.ts'

/** A message of the chat that another one speaks about. */
export interface KnownMessage {
  id: string
  /** Who wrote it: JID with the number, without device. */
  author: string
  message: proto.IMessage
}

/** What composing needs to know of the place the message goes to. All JIDs without device. */
export interface ComposeContext {
  /** The chat as the sender addresses it. */
  chat: string
  /** The sender's JID with the number. */
  self: string
  /** A message of this chat by its id. */
  find(id: string): KnownMessage | undefined
  /** The JID of a number, LID or JID in the addressing of this chat. */
  jid(person: string): string
  /** Puts encrypted media on the media host. */
  upload(blob: Uint8Array, kind: MediaKind): Promise<{ url: string; directPath: string }>
  /** Time in ms. */
  now(): number
}

/** `siblings` are fields of the message beside the one that names the form: `{ image: base64, mime, caption }`. */
export interface Form {
  siblings: readonly string[]
  make(input: unknown, context: ComposeContext, siblings: Record<string, unknown>): Promise<Composed>
}

/** A form from its schema and what it makes of a valid input. `path` is where the input stands in the request, for the message. */
export function form<S extends v.GenericSchema>(
  path: string,
  schema: S,
  make: (input: v.InferOutput<S>, context: ComposeContext) => Composed | Promise<Composed>,
): Form {
  return { siblings: [], make: async (input, context) => make(parsed(schema, input, path), context) }
}

export function parsed<S extends v.GenericSchema>(schema: S, input: unknown, path: string): v.InferOutput<S> {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  throw new ControlError('invalid_request', sayIssue(result.issues[0], path))
}

/** `message.poll.options.0: Expected string but received 1`. */
export function sayIssue(issue: v.BaseIssue<unknown>, path = ''): string {
  const inside = v.getDotPath(issue)
  const where = [path, inside].filter(Boolean).join('.')
  return where ? `${where}: ${issue.message}` : issue.message
}

/** The message spoken about, out of its envelopes; a message nobody knows is a mistake of the request. */
export function known(context: ComposeContext, id: string): KnownMessage {
  const found = context.find(id)
  if (!found) throw new ControlError('invalid_request', `message: ${id} is not a message of this chat`)
  const content = unwrap(found.message)
  const messageContextInfo = found.message.messageContextInfo ?? content.messageContextInfo
  return { ...found, message: { ...content, ...(messageContextInfo ? { messageContextInfo } : {}) } }
}

/** How the sender names that message: from the sender's point of view, as phones do. */
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
