import { randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import type { MessageInput } from '../control/network-control.ts'
import { ABOUT_FORMS } from './compose-about.ts'
import { ANSWER_FORMS } from './compose-answer.ts'
import { COMMERCE_FORMS } from './compose-commerce.ts'
import { CONTENT_FORMS } from './compose-content.ts'
import { applyContext, CommonFields } from './compose-context.ts'
import { type ComposeContext, type Form, parsed } from './compose-form.ts'
import { MEDIA_FORMS } from './compose-media.ts'
import type { Composed } from './composed.ts'
import { stanzaOf } from './describe.ts'

export type { ComposeContext, KnownMessage } from './compose-form.ts'
export type { Composed } from './composed.ts'

const FORMS: Record<string, Form> = {
  ...CONTENT_FORMS,
  ...MEDIA_FORMS,
  ...ABOUT_FORMS,
  ...ANSWER_FORMS,
  ...COMMERCE_FORMS,
  proto: { siblings: [], make: async (input) => composeProto(input) },
}

/** Kinds of messages. Each name is a field, and a message has exactly one of these fields. */
export const MESSAGE_FORMS: readonly string[] = Object.keys(FORMS)

const COMMON = Object.keys(CommonFields.entries)

/** Returns the protobuf that a phone would encrypt, and the attributes of its stanza. */
export async function compose(input: MessageInput, context: ComposeContext): Promise<Composed> {
  const names = Object.keys(input)
  const [name, ...others] = names.filter((each) => Object.hasOwn(FORMS, each))
  if (name === undefined) throw invalid(`it needs one of ${Object.keys(FORMS).join(', ')}; got ${names.join(', ') || 'nothing'}`)
  if (others.length > 0) throw invalid(`${name} and ${others.join(', ')} exclude each other`)
  const form = FORMS[name]!
  const unknown = names.filter((each) => each !== name && !COMMON.includes(each) && !form.siblings.includes(each))
  if (unknown.length > 0) throw invalid(`${unknown.join(', ')} does not go with ${name}`)

  const common = parsed(CommonFields, pick(input, COMMON), 'message')
  const addContext = (content: proto.IMessage) => applyContext(content, common, context)
  const composed = await form.make(input[name], context, pick(input, form.siblings), addContext)
  if (name === 'proto') return composed
  if (!composed.hasContext) addContext(composed.message)
  composed.message.messageContextInfo = { messageSecret: randomBytes(32), ...composed.message.messageContextInfo }
  return composed
}

/** Composes any other message from its protobuf, which is JSON with bytes in base64. The message is sent unchanged. */
function composeProto(input: unknown): Composed {
  const json = parsed(v.record(v.string(), v.unknown()), input, 'message.proto')
  try {
    const message = proto.Message.fromObject(json)
    return { message, ...stanzaOf(message) }
  } catch (error) {
    throw invalid(`proto is not a message: ${error instanceof Error ? error.message : error}`)
  }
}

function pick(input: MessageInput, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in input).map((name) => [name, input[name]]))
}

const invalid = (sentence: string) => new ControlError('invalid_request', `message: ${sentence}`)
