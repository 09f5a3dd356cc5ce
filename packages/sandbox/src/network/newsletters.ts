import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { stanzaOf } from '../people/describe.ts'
import { type BinaryNode, bytesOf, child, node, randomId, SERVER_JID, seconds } from '../wire/node.ts'
import { acknowledgement } from './acknowledgement.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network, Person } from './model.ts'
import type { Newsletter, Post } from './newsletter-model.ts'
import { lidJidOf, pnOf } from './people.ts'

export const LIVE_UPDATES = 300

export function watchLive(newsletter: Newsletter, { address }: Companion) {
  newsletter.live ??= new Map()
  newsletter.live.set(address, seconds() + LIVE_UPDATES)
}

/**
 * Handles what a linked device publishes in a channel, unencrypted: a post, a change of a post, or a reaction. The ack
 * of a new post contains its number.
 */
export function receivePost(network: Network, companion: Companion, item: BinaryNode) {
  const { to = '', id = '' } = item.attrs
  const newsletter = network.newsletters.get(to)
  const role = newsletter?.subscribers.get(companion.person.number)?.role
  const plaintext = child(item, 'plaintext')
  const bytes = plaintext && (bytesOf(plaintext) ?? Buffer.alloc(0))
  if (newsletter && role && item.attrs.type === 'reaction') return react(network, newsletter, companion, item)
  if (!newsletter || !bytes || !role || role === 'SUBSCRIBER') {
    return companion.connection?.send(acknowledgement(item, newsletter ? 403 : 404))
  }
  const { edit } = item.attrs
  if (edit === '3' || edit === '8') return change(network, newsletter, companion, item, bytes)
  const post = addPost(newsletter, id, bytes)
  describePost(post, item)
  const answer = acknowledgement(item)
  companion.connection?.send({ ...answer, attrs: { ...answer.attrs, server_id: String(post.serverId) } })
  publish(network, newsletter, post, companion)
}

function describePost(post: Post, item: BinaryNode) {
  post.attrs = item.attrs
  post.mediaType = child(item, 'plaintext')?.attrs.mediatype
  post.type = item.attrs.type
  post.meta = child(item, 'meta')?.attrs
}

/**
 * Handles a linked device's change of a post. An edit has the new content under the id of the post, and a removal has
 * no content.
 */
function change(network: Network, newsletter: Newsletter, companion: Companion, item: BinaryNode, bytes: Uint8Array) {
  const found = newsletter.posts.find(({ id }) => id === item.attrs.id)
  if (!found) return companion.connection?.send(acknowledgement(item, 404))
  const isRemoval = item.attrs.edit === '8'
  if (!isRemoval) describePost(found, item)
  companion.connection?.send(acknowledgement(item))
  changePost(network, newsletter, found, isRemoval ? undefined : bytes, companion)
}

/** Changes a post. An edit has the complete new content under the post's own id, and a removal has no content. */
export function changePost(
  network: Network,
  newsletter: Newsletter,
  made: Post,
  bytes: Uint8Array | undefined,
  author?: Companion,
) {
  if (bytes) made.message = bytes
  else newsletter.posts.splice(newsletter.posts.indexOf(made), 1)
  const attrs = {
    from: newsletter.id,
    id: made.id,
    server_id: made.serverId,
    t: seconds(),
    type: made.type ?? 'text',
    edit: bytes ? '3' : '8',
  }
  const meta = { original_msg_t: made.at, ...(bytes ? { msg_edit_t: Date.now() } : {}) }
  notifyFollowers(
    network,
    newsletter,
    () => node('message', attrs, [bytes ? plaintextOf(made) : node('plaintext'), node('meta', meta)]),
    author,
  )
}

/** Reader of the reactions that the control API adds, which belong to no person of the network. */
const SOMEBODY = 'somebody'

/**
 * Adds a reaction to a post, and notifies the followers. `live_updates`: the stanza of the server, with a count for
 * each reaction. `reaction`: the stanza that the library expects.
 */
export function newReaction(
  network: Network,
  newsletter: Newsletter,
  made: Post,
  code: string,
  form: 'live_updates' | 'reaction',
) {
  if (code === '') delete made.reactions[SOMEBODY]
  else made.reactions[SOMEBODY] = code
  if (form === 'live_updates') return notifyFollowers(network, newsletter, () => liveUpdates(newsletter, [made]))
  const reaction = node('reaction', { message_id: made.serverId }, [
    node('reaction', code === '' ? {} : { code }, Buffer.from(code)),
  ])
  notifyFollowers(network, newsletter, () =>
    node('notification', { from: newsletter.id, type: 'newsletter', id: randomId(), t: seconds() }, [reaction]),
  )
}

const countsOf = ({ reactions }: Post): BinaryNode[] => {
  const counts = new Map<string, number>()
  for (const code of Object.values(reactions)) counts.set(code, (counts.get(code) ?? 0) + 1)
  return [...counts].map(([code, count]) => node('reaction', { code, count }))
}

function liveUpdates(newsletter: Newsletter, posts: Post[]): BinaryNode {
  const messages = posts.map((made) => node('message', { server_id: made.serverId }, [node('reactions', {}, countsOf(made))]))
  const listed = node('messages', { jid: newsletter.id, t: seconds() }, messages)
  const attrs = { from: newsletter.id, type: 'newsletter', id: randomId(), t: seconds() }
  return node('notification', attrs, [node('live_updates', {}, [listed])])
}

export function listedPost(made: Post): BinaryNode {
  const counts = countsOf(made)
  return node('message', { id: made.id, server_id: made.serverId, t: made.at, type: made.type ?? 'text' }, [
    plaintextOf(made),
    ...(counts.length > 0 ? [node('reactions', {}, counts)] : []),
  ])
}

const plaintextOf = ({ message, mediaType }: Post) => node('plaintext', { mediatype: mediaType }, message)

/**
 * Changes a person's role, and notifies the followers. With `participant`, the change is a child of the channel's
 * notification. With `mex` and `updates`, it has the form of an answer to a GraphQL query: the web client reads `data`,
 * and the library reads `updates`.
 */
export function newRole(
  network: Network,
  newsletter: Newsletter,
  by: Person,
  person: Person,
  role: 'admin' | 'subscriber',
  form: 'participant' | 'mex' | 'updates',
) {
  newsletter.subscribers.set(person.number, { isMuted: false, role: role === 'admin' ? 'ADMIN' : 'SUBSCRIBER' })
  const action = role === 'admin' ? 'promote' : 'demote'
  const operation = `NotificationNewsletterAdmin${role === 'admin' ? 'Promote' : 'Demote'}`
  const user = { id: lidJidOf(person), pn: pnOf(person) }
  const actor = { id: lidJidOf(by), pn: pnOf(by) }
  const data = {
    [`xwa2_notify_newsletter_admin_${action}`]: { id: newsletter.id, user, actor, user_new_role: role.toUpperCase() },
  }
  const update = { operation, updates: [{ jid: newsletter.id, user: pnOf(person) }] }
  const stanza = () => {
    const about = { id: randomId(), t: seconds() }
    if (form === 'participant')
      return node('notification', { from: newsletter.id, type: 'newsletter', participant: pnOf(by), ...about }, [
        node('participant', { jid: pnOf(person), action, role: role.toUpperCase() }),
      ])
    const child =
      form === 'mex' ? node('update', { op_name: operation }, JSON.stringify({ data })) : node('mex', {}, JSON.stringify(update))
    return node('notification', { from: SERVER_JID, type: 'mex', ...about }, [child])
  }
  notifyFollowers(network, newsletter, stanza)
}

function react(network: Network, newsletter: Newsletter, companion: Companion, item: BinaryNode) {
  const found = newsletter.posts.find(({ serverId }) => String(serverId) === item.attrs.server_id)
  if (!found) return companion.connection?.send(acknowledgement(item, 404))
  const code = child(item, 'reaction')?.attrs.code
  if (code) found.reactions[companion.person.number] = code
  else delete found.reactions[companion.person.number]
  network.changed()
  companion.connection?.send(acknowledgement(item))
  notifyLive(network, newsletter, found)
}

/** Sends a live update about a post. Devices that are offline miss it. */
function notifyLive(network: Network, newsletter: Newsletter, made: Post) {
  for (const [address, until] of newsletter.live ?? []) {
    if (until < seconds()) newsletter.live?.delete(address)
  }
  for (const { companion } of network.connections) {
    if (companion && newsletter.live?.has(companion.address)) enqueue(network, companion, liveUpdates(newsletter, [made]))
  }
}

function addPost(newsletter: Newsletter, id: string, message: Uint8Array): Post {
  const post: Post = { serverId: (newsletter.posts.at(-1)?.serverId ?? 99) + 1, id, at: seconds(), message, reactions: {} }
  newsletter.posts.push(post)
  return post
}

export function post(network: Network, newsletter: Newsletter, id: string, message: Uint8Array): Post {
  const made = addPost(newsletter, id, message)
  const about = stanzaOf(proto.Message.decode(message))
  made.type = about.type
  made.mediaType = about.mediaType
  publish(network, newsletter, made)
  return made
}

function publish(network: Network, newsletter: Newsletter, made: Post, author?: Companion) {
  notifyFollowers(network, newsletter, () => postStanza(newsletter, made), author)
}

function notifyFollowers(network: Network, newsletter: Newsletter, stanza: () => BinaryNode, author?: Companion) {
  const people = [...newsletter.subscribers.keys()].flatMap((number): Person[] => {
    const person = network.people.get(number)
    return person ? [person] : []
  })
  for (const person of people) {
    for (const companion of person.companions.values()) if (companion !== author) enqueue(network, companion, stanza())
  }
  network.changed()
}

function postStanza(newsletter: Newsletter, made: Post): BinaryNode {
  const attrs = { from: newsletter.id, id: made.id, server_id: made.serverId, t: made.at, type: made.type ?? 'text' }
  return node('message', attrs, [plaintextOf(made)])
}
