import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type ChannelPost, ControlError, type MessageInput } from '../control/network-control.ts'
import { type ComposeContext, compose } from '../people/compose.ts'
import { findKnown } from './control-people.ts'
import type { Network, Person } from './model.ts'
import { post } from './newsletters.ts'
import { createNewsletter } from './queries/newsletters.ts'
import { newMessageId } from './speaking.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** `{ owner, name, description?, subscribers?, picture? }`. */
export function createNewsletterByControl(network: Network, input: Record<string, unknown>) {
  const owner = findKnown(network, text(input.owner))
  const newsletter = createNewsletter(network, owner, text(input.name), text(input.description))
  newsletter.picture = text(input.picture) || undefined
  const subscribers = Array.isArray(input.subscribers) ? input.subscribers.map(text) : []
  for (const phone of subscribers)
    newsletter.subscribers.set(findKnown(network, phone).number, { role: 'SUBSCRIBER', isMuted: false })
  return { id: newsletter.id, invite: newsletter.invite }
}

export async function postByControl(
  network: Network,
  id: string,
  input: MessageInput,
  contextFor: (from: Person, to: string) => ComposeContext,
): Promise<{ id: string; server_id: string }> {
  const newsletter = network.newsletters.get(id)
  if (!newsletter) throw new ControlError('not_found', `there is no newsletter ${id}`)
  const { message } = await compose(input, contextFor(findKnown(network, newsletter.owner), id))
  const made = post(network, newsletter, newMessageId(), proto.Message.encode(message).finish())
  return { id: made.id, server_id: String(made.serverId) }
}

/** Posts as readers have them, oldest first. */
export function postsByControl(network: Network, id: string): ChannelPost[] {
  const newsletter = network.newsletters.get(id)
  if (!newsletter) throw new ControlError('not_found', `there is no newsletter ${id}`)
  return newsletter.posts.map((made) => ({
    id: made.id,
    server_id: String(made.serverId),
    attrs: made.attrs ?? {},
    media_type: made.mediaType ?? null,
    meta: made.meta ?? null,
    proto: proto.Message.toObject(proto.Message.decode(made.message), { longs: String, enums: String, bytes: String }),
    reactions: made.reactions,
  }))
}
