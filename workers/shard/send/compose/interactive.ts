/** How every interactive message leaves: its text with mentions as the chat addresses them, its envelope, its companion nodes. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Identifier } from '../../../../src/domain/ids.ts'
import { envelope, type Interactive, mixedNodes } from '../../translate/outbound/native-flow.ts'
import { type SharedFields, surroundings } from '../context-info.ts'
import type { Accepted, SendContext } from '../contract.ts'
import { type Destination, resolveDestination } from '../destination.ts'
import { sendMessage } from '../relay.ts'

interface Flow {
  /** Where mentions are looked for; empty when the message has no text of the caller. */
  text?: string
  /** `text` as it is to be written. */
  compose(text: string, to: Destination): Interactive | Promise<Interactive>
  /** Default: BIZ-MIXED and BOT. */
  nodes?: BinaryNode[]
}

export async function sendInteractive(
  context: SendContext,
  input: SharedFields & { phone: Identifier },
  { text = '', compose, nodes }: Flow,
): Promise<Accepted> {
  const to = await resolveDestination(context, input.phone)
  // Mentions are ignored where there is no text to find them in.
  const around = await surroundings(context, to, text === '' ? { ...input, mentions: [] } : input, text)
  return sendMessage(context, to, {
    content: { proto: envelope(await compose(around.text, to)) },
    info: around.info,
    nodes: nodes ?? mixedNodes(to, context.now()),
  })
}
