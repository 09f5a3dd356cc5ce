import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import type { Composed } from './composed.ts'
import { unwrap } from './describe.ts'
import type { MediaKind } from './media.ts'

/** A message of the chat to which another message refers. */
export interface KnownMessage {
  id: string
  author: string
  message: proto.IMessage
}

/** The chat in which a message is composed. All its JIDs are without a device part. */
export interface ComposeContext {
  chat: string
  /** JID of the sender. It contains the number. */
  self: string
  find(id: string): KnownMessage | undefined
  /** Returns the JID of a person as this chat uses it, by number or by LID. `person` is a number, a LID or a JID. */
  jid(person: string): string
  upload(blob: Uint8Array, kind: MediaKind): Promise<{ url: string; directPath: string }>
  now(): number
}

export type AddContext = (content: proto.IMessage) => void

export interface Form {
  siblings: readonly string[]
  make(input: unknown, context: ComposeContext, siblings: Record<string, unknown>, addContext: AddContext): Promise<Composed>
}

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

function sayIssue(issue: v.BaseIssue<unknown>, path = ''): string {
  const inside = v.getDotPath(issue)
  const where = [path, inside].filter(Boolean).join('.')
  return where ? `${where}: ${issue.message}` : issue.message
}

/** Returns the message with this id, without its wrappers. Throws if the id is unknown. */
export function known(context: ComposeContext, id: string): KnownMessage {
  const found = context.find(id)
  if (!found) throw new ControlError('invalid_request', `message: ${id} is not a message of this chat`)
  const content = unwrap(found.message)
  const messageContextInfo = found.message.messageContextInfo ?? content.messageContextInfo
  return { ...found, message: { ...content, ...(messageContextInfo ? { messageContextInfo } : {}) } }
}

/** Returns the key of a message from the sender's point of view, as phones write it. */
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
