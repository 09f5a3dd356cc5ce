import { randomInt } from 'node:crypto'
import { seconds } from '../../wire/node.ts'
import type { Network, Newsletter, Person } from '../model.ts'
import { findPerson, lidJidOf, pnOf } from '../people.ts'
import { pictureId, picturePath } from '../pictures.ts'
import { type Document, MexError, type MexRequest as Request } from './document.ts'

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
      settings: { reaction_codes: { value: 'ALL' } },
      handle: null,
      verification: 'UNVERIFIED',
    },
    viewer_metadata: {
      role: own?.role ?? 'GUEST',
      settings: [
        { type: 'MUTE_FOLLOWER_ACTIVITY', value: own?.isMuted ? 'ON' : 'OFF' },
        { type: 'MUTE_ADMIN_ACTIVITY', value: 'OFF' },
      ],
    },
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
  return { id: newsletter.id, state: { type: 'ACTIVE' } }
}

function mute(request: Request, isMuted: boolean) {
  const newsletter = find(request)
  const own = newsletter.subscribers.get(request.person.number)
  if (!own) throw new MexError(403, 'Forbidden')
  own.isMuted = isMuted
  return { id: newsletter.id, state: { type: 'ACTIVE' } }
}

/** One mutation for all of somebody's settings of a channel. */
function setForViewer(request: Request) {
  const { newsletter_id: id, settings } = (request.variables.input ?? {}) as { newsletter_id?: string; settings?: unknown }
  const wanted = (Array.isArray(settings) ? settings : []) as { type?: string; value?: string }[]
  const muted = wanted.find(({ type }) => type === 'MUTE_FOLLOWER_ACTIVITY')
  if (id === undefined || wanted.length === 0) throw new MexError(400, 'Bad Request')
  const about = { ...request, variables: { newsletter_id: id } }
  return muted ? mute(about, muted.value === 'ON') : { id: find(about).id, state: { type: 'ACTIVE' } }
}

function admins(request: Request) {
  const newsletter = find(request)
  const roles = [...newsletter.subscribers.values()].map(({ role }) => role)
  return { id: newsletter.id, admin_count: roles.filter((role) => role !== 'SUBSCRIBER').length, admin_profile: null }
}

function pendingInvites(request: Request) {
  const newsletter = owned(request)
  const people = (newsletter.invited ?? []).flatMap((number) => request.network.people.get(number) ?? [])
  const invites = people.map((person) => ({ user: { id: lidJidOf(person), pn: pnOf(person) } }))
  return { id: newsletter.id, pending_admin_invites: invites }
}

function followers(request: Request) {
  const { newsletter_id: id, count = 50 } = (request.variables.input ?? {}) as { newsletter_id?: string; count?: number }
  const newsletter = owned({ ...request, variables: { newsletter_id: id } })
  const edges = [...newsletter.subscribers].slice(0, count).flatMap(([number, { role }]) => {
    const person = request.network.people.get(number)
    if (!person) return []
    const shown = { id: lidJidOf(person), pn: pnOf(person), display_name: person.name, username_info: null }
    return [{ node: shown, role, follow_time: String(newsletter.createdAt), admin_profile: null }]
  })
  return { followers: { edges } }
}

/** Channels of somebody, as a client fetches them at its start. */
function ownNewsletters({ network, person }: Request) {
  const mine = [...network.newsletters.values()].filter(({ subscribers }) => subscribers.has(person.number))
  return mine.map((newsletter) => describe(newsletter, person))
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
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

function demote(request: Request) {
  const newsletter = owned(request)
  newsletter.subscribers.set(other(request), { role: 'SUBSCRIBER', isMuted: false })
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

/** How long an invitation can be accepted, in seconds. */
const INVITE_LIFE = 7 * 24 * 3_600

function inviteAdmin(request: Request) {
  const newsletter = find(request)
  if (newsletter.owner !== request.person.number) throw new MexError(403, 'Forbidden')
  newsletter.invited = [...(newsletter.invited ?? []), other(request)]
  return { id: newsletter.id, invite_expiration_time: String(seconds() + INVITE_LIFE) }
}

function revokeInvite(request: Request) {
  const newsletter = owned(request)
  const number = other(request)
  newsletter.invited = (newsletter.invited ?? []).filter((invited) => invited !== number)
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

function acceptInvite(request: Request) {
  const newsletter = find(request)
  const { number } = request.person
  if (!newsletter.invited?.includes(number)) throw new MexError(404, 'Not Found')
  newsletter.invited = newsletter.invited.filter((invited) => invited !== number)
  newsletter.subscribers.set(number, { role: 'ADMIN', isMuted: false })
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

function remove(request: Request) {
  const newsletter = owned(request)
  request.network.newsletters.delete(newsletter.id)
  return { id: newsletter.id, state: { type: 'DELETED' } }
}

/** What a channel is asked and told. The first number is that of the web client of August 2026, later ones are those of older clients. */
export const NEWSLETTER_DOCUMENTS: Document[] = [
  { name: 'CreateNewsletter', ids: ['25149874324715067', '8823471724422422'], path: 'xwa2_newsletter_create', answer: create },
  { name: 'UpdateNewsletter', ids: ['24250201037901610'], path: 'xwa2_newsletter_update', answer: update },
  {
    name: 'FetchNewsletter',
    ids: ['27456920720571478', '35452404184358876', '6563316087068696'],
    path: 'xwa2_newsletter',
    answer: metadata,
  },
  { name: 'FetchAllNewslettersMetadata', ids: ['25399611239711790'], path: 'xwa2_newsletter_subscribed', answer: ownNewsletters },
  { name: 'FetchNewsletterFollowers', ids: ['27472091235714801'], path: 'xwa2_newsletter_followers', answer: followers },
  { name: 'FetchNewsletterPendingInvites', ids: ['9783111038412085'], path: 'xwa2_newsletter_admin', answer: pendingInvites },
  {
    name: 'JoinNewsletter',
    ids: ['24404358912487870'],
    path: 'xwa2_newsletter_join_v2',
    answer: (request) => join(request, true),
  },
  {
    name: 'LeaveNewsletter',
    ids: ['9767147403369991'],
    path: 'xwa2_newsletter_leave_v2',
    answer: (request) => join(request, false),
  },
  {
    name: 'UpdateNewsletterUserSetting',
    ids: ['31938993655691868'],
    path: 'xwa2_newsletter_update_user_setting',
    answer: setForViewer,
  },
  // of older clients: a mutation of its own each
  {
    name: 'MuteNewsletter',
    ids: ['29766401636284406'],
    path: 'xwa2_newsletter_mute_v2',
    answer: (request) => mute(request, true),
  },
  {
    name: 'UnmuteNewsletter',
    ids: ['9864994326891137'],
    path: 'xwa2_newsletter_unmute_v2',
    answer: (request) => mute(request, false),
  },
  {
    name: 'FetchNewsletterAdminInfo',
    ids: ['26278439461859188', '34983385154639574', '7130823597031706'],
    path: 'xwa2_newsletter_admin',
    answer: admins,
  },
  {
    name: 'ChangeNewsletterOwner',
    ids: ['9546742745432473', '7341777602580933'],
    path: 'xwa2_newsletter_change_owner',
    answer: changeOwner,
  },
  { name: 'DemoteNewsletterAdmin', ids: ['9880997548630971'], path: 'xwa2_newsletter_admin_demote', answer: demote },
  { name: 'DemoteNewsletterAdmin', ids: ['6551828931592903'], path: 'xwa2_newsletter_demote', answer: demote },
  { name: 'DeleteNewsletter', ids: ['30062808666639665'], path: 'xwa2_newsletter_delete_v2', answer: remove },
  {
    name: 'CreateNewsletterAdminInvite',
    // the second is what our tests called it while it was not known
    ids: ['9387141988078609', '7000000000000001'],
    path: 'xwa2_newsletter_admin_invite_create',
    answer: inviteAdmin,
  },
  {
    name: 'RevokeNewsletterAdminInvite',
    ids: ['9656078347839416'],
    path: 'xwa2_newsletter_admin_invite_revoke',
    answer: revokeInvite,
  },
  {
    name: 'AcceptNewsletterAdminInvite',
    ids: ['9580828702035549'],
    path: 'xwa2_newsletter_admin_invite_accept',
    answer: acceptInvite,
  },
]
