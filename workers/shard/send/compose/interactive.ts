/** Sends an interactive message. It mentions people by number or LID, whichever the chat uses. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Identifier } from '../../../../src/domain/ids.ts'
import { envelope, type Interactive, mixedNodes } from '../../translate/outbound/native-flow.ts'
import { type SharedFields, surroundings } from '../context-info.ts'
import type { Accepted, SendContext } from '../contract.ts'
import { type Destination, resolveDestination } from '../destination.ts'
import { sendMessage } from '../relay.ts'

interface Flow {
  text?: string
  compose(text: string, to: Destination): Interactive | Promise<Interactive>
  /**
   * Nodes that the stanza contains in addition to the ciphertext. The default is `biz`, and in a 1:1 chat also `bot`.
   */
  nodes?: BinaryNode[]
}

export async function sendInteractive(
  context: SendContext,
  input: SharedFields & { phone: Identifier },
  { text = '', compose, nodes }: Flow,
): Promise<Accepted> {
  const to = await resolveDestination(context, input.phone)
  const around = await surroundings(context, to, text === '' ? { ...input, mentions: [] } : input, text)
  return sendMessage(context, to, {
    content: { proto: envelope(await compose(around.text, to)) },
    info: around.info,
    nodes: nodes ?? mixedNodes(to, context.now()),
  })
}
