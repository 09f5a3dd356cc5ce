/** Status posts: to their audience, and taken back from the same one. */

import type { proto } from '@whiskeysockets/baileys'
import { type BoundedCache, boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Recent } from '../chats/recent.ts'
import type { Stanza } from '../translate/outbound/stanza.ts'
import { STATUS_JID } from '../wire/jid.ts'
import type { SendContext } from './contract.ts'
import { type Letter, relay, sendLetter } from './relay.ts'
import { statusAudience } from './status-audience.ts'

/** Posts whose audience is remembered for their deletion; an older one is taken back from today's audience. */
const REMEMBERED = 50

interface Posted {
  jids: string[]
  byLid: boolean
}
/** By instance: its cache of messages lives as long as what is kept here. */
const posted = new WeakMap<Recent, BoundedCache<string, Posted>>()

export const STATUS = { jid: STATUS_JID, kind: 'status', other: null, group: null } as const
const addressing = ({ byLid }: Posted): Record<string, string> => (byLid ? { addressing_mode: 'lid' } : {})

export async function postStatus(context: SendContext, letter: Letter) {
  const audience = await statusAudience(context.session, context.contacts)
  const accepted = await sendLetter(context, STATUS, {
    ...letter,
    attributes: { ...addressing(audience), ...letter.attributes },
    nodes: [...(letter.nodes ?? []), { tag: 'meta', attrs: { status_setting: audience.setting } }],
    statusJidList: audience.jids,
  })
  remember(context, audience)
  return accepted
}

/** A removal: of a post, from those it went to. */
export async function removeStatus(context: SendContext, messageId: string, letter: Letter) {
  const known = posted.get(context.recent)?.get(messageId)
  const audience = known ?? (await statusAudience(context.session, context.contacts))
  return sendLetter(context, STATUS, { ...letter, attributes: addressing(audience), statusJidList: audience.jids })
}

/** What is stored goes to today's audience: of a removal to that of the post, where it is known. */
export async function relayStatus(context: SendContext, message: proto.IMessage, stanza: Stanza) {
  const removed = message.protocolMessage?.key?.id
  const known = removed ? posted.get(context.recent)?.get(removed) : undefined
  const audience = known ?? (await statusAudience(context.session, context.contacts))
  const { addressing_mode: _, ...attributes } = stanza.attributes
  const addressed = { ...stanza, attributes: { ...attributes, ...addressing(audience) } }
  const accepted = await relay(context, { message, stanza: addressed, statusJidList: audience.jids })
  if (!removed) remember(context, audience)
  return accepted
}

function remember({ recent, item }: SendContext, { jids, byLid }: Posted) {
  const posts = posted.get(recent) ?? boundedCache<string, Posted>(REMEMBERED)
  posted.set(recent, posts)
  posts.set(item.messageId, { jids, byLid })
}
