import { type BinaryNode, bytesOf, child, node, seconds } from '../wire/node.ts'
import { acknowledgement } from './acknowledgement.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network, Person } from './model.ts'

export interface Post {
  serverId: number
  id: string
  at: number
  message: Uint8Array
  /** By the reader's number. */
  reactions: Record<string, string>
  /** Of the stanza it came with, or was last edited with. */
  attrs?: Record<string, string>
  mediaType?: string | undefined
  meta?: Record<string, string> | undefined
}

export interface Newsletter {
  id: string
  name: string
  description: string
  createdAt: number
  invite: string
  owner: string
  /** Roles by number. */
  subscribers: Map<string, { role: 'OWNER' | 'ADMIN' | 'SUBSCRIBER'; isMuted: boolean }>
  posts: Post[]
  picture?: string | undefined
  /** How often a linked device asked what it is. */
  metadataQueries?: number
  /** Numbers invited to run it. */
  invited?: string[]
}

/** A linked device publishes: not sealed, everybody may read it. The ack names the post's number. */
export function receivePost(network: Network, companion: Companion, item: BinaryNode) {
  const { to = '', id = '' } = item.attrs
  const newsletter = network.newsletters.get(to)
  const role = newsletter?.subscribers.get(companion.person.number)?.role
  const bytes = bytesOf(child(item, 'plaintext'))
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
  post.meta = child(item, 'meta')?.attrs
}

/** An edit carries the new content under the id of the post; a removal carries nothing. */
function change(network: Network, newsletter: Newsletter, companion: Companion, item: BinaryNode, bytes: Uint8Array) {
  const found = newsletter.posts.find(({ id }) => id === item.attrs.id)
  if (!found) return companion.connection?.send(acknowledgement(item, 404))
  if (item.attrs.edit === '8') newsletter.posts.splice(newsletter.posts.indexOf(found), 1)
  else {
    found.message = bytes
    describePost(found, item)
  }
  network.changed()
  companion.connection?.send(acknowledgement(item))
}

/** A reader reacts to a post, or takes the reaction back. */
function react(network: Network, newsletter: Newsletter, companion: Companion, item: BinaryNode) {
  const found = newsletter.posts.find(({ serverId }) => String(serverId) === item.attrs.server_id)
  if (!found) return companion.connection?.send(acknowledgement(item, 404))
  const code = child(item, 'reaction')?.attrs.code
  if (code) found.reactions[companion.person.number] = code
  else delete found.reactions[companion.person.number]
  network.changed()
  companion.connection?.send(acknowledgement(item))
}

function addPost(newsletter: Newsletter, id: string, message: Uint8Array): Post {
  const post: Post = { serverId: (newsletter.posts.at(-1)?.serverId ?? 99) + 1, id, at: seconds(), message, reactions: {} }
  newsletter.posts.push(post)
  return post
}

/** Somebody the simulator plays publishes. */
export function post(network: Network, newsletter: Newsletter, id: string, message: Uint8Array): Post {
  const made = addPost(newsletter, id, message)
  publish(network, newsletter, made)
  return made
}

function publish(network: Network, newsletter: Newsletter, made: Post, author?: Companion) {
  const people = [...newsletter.subscribers.keys()].flatMap((number): Person[] => {
    const person = network.people.get(number)
    return person ? [person] : []
  })
  for (const person of people) {
    for (const companion of person.companions.values())
      if (companion !== author) enqueue(network, companion, postStanza(newsletter, made))
  }
  network.changed()
}

function postStanza(newsletter: Newsletter, made: Post): BinaryNode {
  const attrs = { from: newsletter.id, id: made.id, server_id: made.serverId, t: made.at, type: 'text' }
  return node('message', attrs, [node('plaintext', {}, made.message)])
}
