import type { proto } from '@whiskeysockets/baileys'
import type { Stanza } from '../../translate/outbound/stanza.ts'
import { STATUS_JID } from '../../wire/jid.ts'
import { metaNode } from '../../wire/message-nodes.ts'
import type { Audience, SendContext } from '../contract.ts'
import { type OutgoingMessage, relay, sendMessage } from '../relay.ts'
import { statusAudience } from './audience.ts'

export const STATUS = { jid: STATUS_JID, kind: 'status', other: null, group: null } as const
const addressing = ({ byLid }: Audience): Record<string, string> => (byLid ? { addressing_mode: 'lid' } : {})

export async function postStatus(context: SendContext, outgoing: OutgoingMessage) {
  const audience = await statusAudience(context)
  const accepted = await sendMessage(context, STATUS, {
    ...outgoing,
    attributes: { ...addressing(audience), ...outgoing.attributes },
    nodes: [...(outgoing.nodes ?? []), metaNode({ status_setting: audience.setting })],
    statusJidList: audience.jids,
  })
  remember(context, audience)
  return accepted
}

export async function changeStatus(context: SendContext, messageId: string, outgoing: OutgoingMessage) {
  const known = context.audiences.get(messageId)
  const audience = known ?? (await statusAudience(context))
  return sendMessage(context, STATUS, { ...outgoing, attributes: addressing(audience), statusJidList: audience.jids })
}

/**
 * Relays a stored status post. A deletion or an edit is sent to the recipients of the original post, if they are known.
 */
export async function relayStatus(context: SendContext, message: proto.IMessage, stanza: Stanza) {
  const changed = message.protocolMessage?.key?.id
  const known = changed ? context.audiences.get(changed) : undefined
  const audience = known ?? (await statusAudience(context))
  const { addressing_mode: _, ...attributes } = stanza.attributes
  const addressed = { ...stanza, attributes: { ...attributes, ...addressing(audience) } }
  const accepted = await relay(context, { message, stanza: addressed, statusJidList: audience.jids })
  if (!changed) remember(context, audience)
  return accepted
}

function remember({ audiences, item }: SendContext, { jids, byLid }: Audience) {
  audiences.set(item.messageId, { jids, byLid })
}
