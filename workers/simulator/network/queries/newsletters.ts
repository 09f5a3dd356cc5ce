import { randomInt } from 'node:crypto'
import { node, seconds, textOf } from '../../wire/node.ts'
import type { Network, Person } from '../model.ts'
import type { Newsletter } from '../newsletters.ts'
import { findPerson } from '../people.ts'
import { pictureId, picturePath } from '../pictures.ts'
import type { Answer } from './query.ts'

/** GraphQL documents the client sends by number (its export `QueryIds`) and where it looks for the answer (`XWAPaths`). */
const DOCUMENTS: Record<string, { path: string; answer: (request: Request) => unknown }> = {
  '8823471724422422': { path: 'xwa2_newsletter_create', answer: create },
  '24250201037901610': { path: 'xwa2_newsletter_update', answer: update },
  '6563316087068696': { path: 'xwa2_newsletter', answer: metadata },
  '9783111038412085': { path: 'xwa2_newsletter_subscribers', answer: subscriberCount },
  '24404358912487870': { path: 'xwa2_newsletter_join_v2', answer: (request) => join(request, true) },
  '9767147403369991': { path: 'xwa2_newsletter_leave_v2', answer: (request) => join(request, false) },
  '29766401636284406': { path: 'xwa2_newsletter_mute_v2', answer: (request) => mute(request, true) },
  '9864994326891137': { path: 'xwa2_newsletter_unmute_v2', answer: (request) => mute(request, false) },
  '7130823597031706': { path: 'xwa2_newsletter_admin', answer: adminCount },
  '7341777602580933': { path: 'xwa2_newsletter_change_owner', answer: changeOwner },
  '6551828931592903': { path: 'xwa2_newsletter_demote', answer: demote },
  '30062808666639665': { path: 'xwa2_newsletter_delete_v2', answer: remove },
  '23983697327930364': {
    path: 'xwa2_fetch_account_reachout_timelock',
    answer: ({ person }) => reachoutLock(person),
  },
  // Not known of the real network: what the sandbox calls the mutation that invites somebody to run a channel.
  '7000000000000001': { path: 'xwa2_newsletter_admin_invite_create', answer: inviteAdmin },
  '24503548349331633': { path: 'xwa2_message_capping_info', answer: () => ({ total_quota: 250, used_quota: 0 }) },
}

interface Request {
  network: Network
  person: Person
  variables: Record<string, unknown>
}

class MexError extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

export function createNewsletter(network: Network, owner: Person, name: string, description: string): Newsletter {
  const id = `12036${randomInt(1_000_000_000, 9_999_999_999)}${String(network.newsletters.size).padStart(3, '0')}@newsletter`
  const newsletter: Newsletter = {
    id,
    name,
    description,
    createdAt: seconds(),
    invite: `0029Va${randomInt(1_000_000_000, 9_999_999_999)}`,
    owner: owner.number,
    subscribers: new Map([[owner.number, { role: 'OWNER', isMuted: false }]]),
    posts: [],
  }
  network.newsletters.set(id, newsletter)
  network.changed()
  return newsletter
}

function describe(newsletter: Newsletter, viewer: Person) {
  const own = newsletter.subscribers.get(viewer.number)
  return {
    id: newsletter.id,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: String(newsletter.createdAt),
      name: { id: '1', text: newsletter.name, update_time: String(newsletter.createdAt) },
      description: { id: '1', text: newsletter.description, update_time: String(newsletter.createdAt) },
      picture: describePicture(newsletter, 'IMAGE'),
      preview: describePicture(newsletter, 'PREVIEW'),
      invite: newsletter.invite,
      subscribers_count: String(newsletter.subscribers.size),
      verification: 'UNVERIFIED',
    },
    viewer_metadata: { mute: own?.isMuted ? 'ON' : 'OFF', role: own?.role ?? 'GUEST' },
  }
}

/** The network gives the path alone; one that lies elsewhere has none. */
function describePicture({ picture }: Newsletter, type: string) {
  if (!picture) return { id: '0', type, direct_path: '' }
  const isElsewhere = picture.startsWith('http')
  return {
    id: pictureId(picture),
    type,
    direct_path: isElsewhere ? '' : picturePath(picture),
    ...(isElsewhere ? { url: picture } : {}),
  }
}

function find({ network, variables }: Request): Newsletter {
  const input = variables.input as { key?: string } | undefined
  const key = String(variables.newsletter_id ?? input?.key ?? '')
  const found = network.newsletters.get(key) ?? [...network.newsletters.values()].find((item) => item.invite === key)
  if (!found) throw new MexError(404, 'Not Found')
  return found
}

function create({ network, person, variables }: Request) {
  const input = variables.input as { name?: string; description?: string | null }
  return describe(createNewsletter(network, person, input.name ?? '', input.description ?? ''), person)
}

function metadata(request: Request) {
  const newsletter = find(request)
  newsletter.metadataQueries = (newsletter.metadataQueries ?? 0) + 1
  return describe(newsletter, request.person)
}

function update(request: Request) {
  const newsletter = owned(request)
  const updates = (request.variables.updates ?? {}) as { name?: string; description?: string; picture?: string }
  newsletter.name = updates.name ?? newsletter.name
  newsletter.description = updates.description ?? newsletter.description
  newsletter.picture = updates.picture ?? newsletter.picture
  return describe(newsletter, request.person)
}

function owned(request: Request): Newsletter {
  const newsletter = find(request)
  const role = newsletter.subscribers.get(request.person.number)?.role
  if (role !== 'OWNER' && role !== 'ADMIN') throw new MexError(403, 'Forbidden')
  return newsletter
}

function join(request: Request, wanted: boolean) {
  const newsletter = find(request)
  const { number } = request.person
  if (!wanted) newsletter.subscribers.delete(number)
  else if (!newsletter.subscribers.has(number)) newsletter.subscribers.set(number, { role: 'SUBSCRIBER', isMuted: false })
  return { id: newsletter.id }
}

function mute(request: Request, isMuted: boolean) {
  const newsletter = find(request)
  const own = newsletter.subscribers.get(request.person.number)
  if (!own) throw new MexError(403, 'Forbidden')
  own.isMuted = isMuted
  return { id: newsletter.id }
}

function subscriberCount(request: Request) {
  return { id: request.variables.newsletter_id, subscribers: find(request).subscribers.size }
}

function adminCount(request: Request) {
  const roles = [...find(request).subscribers.values()].map(({ role }) => role)
  return { admin_count: roles.filter((role) => role !== 'SUBSCRIBER').length }
}

function other(request: Request): string {
  const person = findPerson(request.network, String(request.variables.user_id ?? ''))
  if (!person) throw new MexError(404, 'Not Found')
  return person.number
}

function changeOwner(request: Request) {
  const newsletter = owned(request)
  newsletter.subscribers.set(request.person.number, { role: 'ADMIN', isMuted: false })
  newsletter.owner = other(request)
  newsletter.subscribers.set(newsletter.owner, { role: 'OWNER', isMuted: false })
  return { id: newsletter.id }
}

function demote(request: Request) {
  const newsletter = owned(request)
  newsletter.subscribers.set(other(request), { role: 'SUBSCRIBER', isMuted: false })
  return { id: newsletter.id }
}

/** How long an invitation can be accepted, in seconds. */
const INVITE_LIFE = 7 * 24 * 3_600

function inviteAdmin(request: Request) {
  const newsletter = find(request)
  if (newsletter.owner !== request.person.number) throw new MexError(403, 'Forbidden')
  newsletter.invited = [...(newsletter.invited ?? []), other(request)]
  return { id: newsletter.id, invite_expiration_time: String(seconds() + INVITE_LIFE) }
}

function reachoutLock({ restrictedUntil = 0 }: Person) {
  const isActive = restrictedUntil > seconds()
  return { is_active: isActive, time_enforcement_ends: isActive ? String(restrictedUntil) : '0' }
}

function remove(request: Request) {
  const newsletter = owned(request)
  request.network.newsletters.delete(newsletter.id)
  return { id: newsletter.id, state: { type: 'DELETED' } }
}

/** How long live counts are sent, in seconds. */
const LIVE_UPDATES = 300

export const NEWSLETTER_QUERIES: Record<string, Answer> = {
  'w:mex get query': ({ network, companion, subject }) => {
    const document = DOCUMENTS[subject.attrs.query_id ?? '']
    const { variables } = JSON.parse(textOf(subject) ?? '{}') as { variables: Record<string, unknown> }
    if (!document) {
      network.stats.unknownQueries.push(`w:mex get query ${subject.attrs.query_id}`)
      return [node('result', {}, JSON.stringify({ errors: [{ message: 'unknown document', extensions: { error_code: 501 } }] }))]
    }
    try {
      const answer = document.answer({ network, person: companion.person, variables })
      network.changed()
      return [node('result', {}, JSON.stringify({ data: { [document.path]: answer } }))]
    } catch (error) {
      if (!(error instanceof MexError)) throw error
      return [
        node('result', {}, JSON.stringify({ errors: [{ message: error.message, extensions: { error_code: error.code } }] })),
      ]
    }
  },
  'newsletter set live_updates': () => [node('live_updates', { duration: LIVE_UPDATES })],
  'newsletter get message_updates': ({ network, item, subject }) => {
    const posts = network.newsletters.get(item.attrs.to ?? '')?.posts ?? []
    const count = Number(subject.attrs.count ?? posts.length)
    const after = Number(subject.attrs.after ?? 0)
    const listed = posts.filter((post) => post.serverId > after).slice(-count)
    const messages = listed.map((post) =>
      node('message', { id: post.id, server_id: post.serverId, t: post.at, type: 'text' }, [node('plaintext', {}, post.message)]),
    )
    return [node('message_updates', { t: seconds() }, [node('messages', { jid: item.attrs.to, t: seconds() }, messages)])]
  },
  'newsletter get messages': ({ network, subject }) => {
    const newsletter = [...network.newsletters.values()].find(
      (item) => item.id === subject.attrs.jid || item.invite === subject.attrs.key,
    )
    const { count = '50', before } = subject.attrs
    const posts = (newsletter?.posts ?? [])
      .filter((post) => before === undefined || post.serverId < Number(before))
      .slice(-Number(count))
    const messages = posts.map((post) =>
      node('message', { id: post.id, server_id: post.serverId, t: post.at, type: 'text' }, [node('plaintext', {}, post.message)]),
    )
    return [node('messages', { jid: newsletter?.id, t: seconds() }, messages)]
  },
}
