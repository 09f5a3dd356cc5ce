import { type BinaryNode, bytesOf, child, node, seconds } from '../wire/node.ts'
import { acknowledgement } from './acknowledgement.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network, Person } from './model.ts'

export interface Post {
  serverId: number
  id: string
  at: number
  message: Uint8Array
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
}

/** A linked device publishes: not sealed, everybody may read it. The ack names the post's number. */
export function receivePost(network: Network, companion: Companion, item: BinaryNode) {
  const { to = '', id = '' } = item.attrs
  const newsletter = network.newsletters.get(to)
  const role = newsletter?.subscribers.get(companion.person.number)?.role
  const bytes = bytesOf(child(item, 'plaintext'))
  if (!newsletter || !bytes || !role || role === 'SUBSCRIBER') {
    return companion.connection?.send(acknowledgement(item, newsletter ? 403 : 404))
  }
  const post = addPost(newsletter, id, bytes)
  const answer = acknowledgement(item)
  companion.connection?.send({ ...answer, attrs: { ...answer.attrs, server_id: String(post.serverId) } })
  publish(network, newsletter, post, companion)
}

function addPost(newsletter: Newsletter, id: string, message: Uint8Array): Post {
  const post = { serverId: newsletter.posts.length + 100, id, at: seconds(), message }
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
