import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import type { ChannelPost, MessageInput } from '../control/network-control.ts'
import type { ChannelRoleChange } from '../control/schemas/chats.ts'
import { type ComposeContext, compose } from '../people/compose.ts'
import { findKnown } from './control-people.ts'
import type { Network, Person } from './model.ts'
import type { Newsletter, Post } from './newsletter-model.ts'
import { changePost, newReaction, newRole, post } from './newsletters.ts'
import { addNewsletter } from './queries/newsletter-documents.ts'
import { newMessageId } from './send-as.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')

const STATES = ['ACTIVE', 'SUSPENDED', 'GEOSUSPENDED'] as const

export function addNewsletterByControl(network: Network, input: Record<string, unknown>) {
  const owner = findKnown(network, text(input.owner))
  const newsletter = addNewsletter(network, owner, text(input.name), text(input.description))
  newsletter.picture = text(input.picture) || undefined
  const subscribers = Array.isArray(input.subscribers) ? input.subscribers.map(text) : []
  for (const phone of subscribers)
    newsletter.subscribers.set(findKnown(network, phone).number, { role: 'SUBSCRIBER', isMuted: false })
  const admins = Array.isArray(input.admins) ? input.admins.map(text) : []
  for (const phone of admins) newsletter.subscribers.set(findKnown(network, phone).number, { role: 'ADMIN', isMuted: false })
  const state = STATES.find((known) => known === input.state)
  if (state) newsletter.state = state
  newsletter.isVerified = input.verified === true
  if (text(input.handle)) newsletter.handle = text(input.handle)
  const { views, country } = (input.listing ?? {}) as { views?: unknown; country?: unknown }
  if (Array.isArray(views)) newsletter.listing = { views: views.map(text), country: text(country) }
  return { id: newsletter.id, invite: newsletter.invite }
}

export async function postByControl(
  network: Network,
  id: string,
  input: MessageInput,
  contextFor: (from: Person, to: string) => ComposeContext,
): Promise<{ id: string; server_id: string }> {
  const newsletter = findNewsletter(network, id)
  const { message } = await compose(input, contextFor(findKnown(network, newsletter.owner), id))
  const made = post(network, newsletter, newMessageId(), proto.Message.encode(message).finish())
  return { id: made.id, server_id: String(made.serverId) }
}

function findNewsletter(network: Network, id: string): Newsletter {
  const newsletter = network.newsletters.get(id)
  if (!newsletter) throw new ControlError('not_found', `there is no newsletter ${id}`)
  return newsletter
}

function findPost(newsletter: Newsletter, id: string): Post {
  const found = newsletter.posts.find((each) => each.id === id)
  if (!found) throw new ControlError('not_found', `there is no post ${id} in ${newsletter.id}`)
  return found
}

export async function changePostByControl(
  network: Network,
  id: string,
  postId: string,
  input: MessageInput | undefined,
  contextFor: (from: Person, to: string) => ComposeContext,
) {
  const newsletter = findNewsletter(network, id)
  const made = findPost(newsletter, postId)
  if (!input) return changePost(network, newsletter, made, undefined)
  const { message } = await compose(input, contextFor(findKnown(network, newsletter.owner), id))
  changePost(network, newsletter, made, proto.Message.encode(message).finish())
}

export function reactByControl(network: Network, id: string, postId: string, emoji: string, form: 'live_updates' | 'reaction') {
  const newsletter = findNewsletter(network, id)
  newReaction(network, newsletter, findPost(newsletter, postId), emoji, form)
}

export function setRoleByControl(network: Network, id: string, { by, phone, role, form }: ChannelRoleChange) {
  newRole(network, findNewsletter(network, id), findKnown(network, by), findKnown(network, phone), role, form)
}

export function postsByControl(network: Network, id: string): ChannelPost[] {
  const newsletter = findNewsletter(network, id)
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
