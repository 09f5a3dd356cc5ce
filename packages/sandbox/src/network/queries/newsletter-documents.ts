import { randomInt } from 'node:crypto'
import { seconds } from '../../wire/node.ts'
import type { Network, Person } from '../model.ts'
import type { Newsletter } from '../newsletter-model.ts'
import { lidJidOf, pnOf } from '../people.ts'
import { type Document, MexError, type MexRequest as Request } from './document.ts'
import { administered, find, owned, ownersOnly } from './newsletter-access.ts'
import { acceptInvite, admins, changeOwner, demote, inviteAdmin, pendingInvites, revokeInvite } from './newsletter-admins.ts'
import { created, dehydrated, fetched, missing, roleOf, stateOf, subscribed, updated } from './newsletter-shown.ts'

export function addNewsletter(network: Network, owner: Person, name: string, description: string): Newsletter {
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

const MAX_NAME = 100
const MAX_DESCRIPTION = 2_048

interface Updates {
  name?: unknown
  description?: unknown
  picture?: unknown
  settings?: { reaction_codes?: { value?: unknown } } | null
}

const REACTION_CODES = new Set(['ALL', 'BASIC', 'NONE', 'BLOCKLIST'])

/** Checks the whole input before anything is changed. */
function checked({ name, description, picture, settings }: Updates) {
  const refuse = (): never => {
    throw new MexError(400, 'Bad Request')
  }
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.length > MAX_NAME)) refuse()
  if (description !== undefined && (typeof description !== 'string' || description.length > MAX_DESCRIPTION)) refuse()
  const isGiven = picture !== undefined && picture !== '' && picture !== null
  if (isGiven && (typeof picture !== 'string' || !isJpeg(picture))) refuse()
  const codes = settings?.reaction_codes?.value
  if (codes !== undefined && (typeof codes !== 'string' || !REACTION_CODES.has(codes))) refuse()
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(picture === undefined ? {} : { picture: (picture as string | null) || undefined }),
    ...(typeof codes === 'string' ? { reactionCodes: codes } : {}),
  }
}

const isJpeg = (picture: string) =>
  Buffer.from(picture, 'base64')
    .subarray(0, 2)
    .equals(Buffer.from([0xff, 0xd8]))

export function create({ network, person, variables }: Request) {
  const wanted = checked(variables.input as Updates)
  if (wanted.name === undefined) throw new MexError(400, 'Bad Request')
  const made = addNewsletter(network, person, wanted.name, wanted.description ?? '')
  return created(Object.assign(made, wanted), person)
}

interface LookUp {
  type?: string
  view_role?: string
}

/**
 * Checks the role that a query claims, by rules from captured answers. Nobody may claim the role of a guest. A guest
 * may only claim that of a subscriber, and all others may claim any other role. The oldest form of the query has no
 * role, and a query by link is open to everyone.
 */
function checkRole(request: Request, newsletter: Newsletter) {
  const { input, fetch_wamo_sub: asksForSubscription } = request.variables
  const { type, view_role: wanted } = (input ?? {}) as LookUp
  if (type === 'INVITE' || wanted === undefined) return
  const isGuest = roleOf(newsletter, request.person) === 'GUEST'
  const mayView = wanted !== 'GUEST' && (!isGuest || (wanted === 'SUBSCRIBER' && asksForSubscription !== true))
  if (!mayView) throw new MexError(405, 'Method Not Allowed')
}

function lookedUp(request: Request): Newsletter | undefined {
  const { key, type, view_role: wanted } = (request.variables.input ?? {}) as LookUp & { key?: unknown }
  const isMissing = type === 'JID' && wanted !== undefined && !request.network.newsletters.has(String(key))
  return isMissing ? undefined : find(request)
}

function metadata(request: Request) {
  const { input, fetch_viewer_metadata: viewer, fetch_full_image: fullImage } = request.variables
  const newsletter = lookedUp(request)
  if (!newsletter) return missing
  newsletter.metadataQueries = (newsletter.metadataQueries ?? 0) + 1
  checkRole(request, newsletter)
  const isLink = (input as LookUp | undefined)?.type === 'INVITE'
  return fetched(newsletter, request.person, {
    viewer: viewer !== false && !(isLink && roleOf(newsletter, request.person) === 'GUEST'),
    fullImage: fullImage !== false,
    more: request.variables,
  })
}

function dehydratedMetadata(request: Request) {
  const newsletter = lookedUp(request)
  if (!newsletter) return missing
  checkRole(request, newsletter)
  return dehydrated(newsletter, request.variables)
}

function update(request: Request) {
  const newsletter = owned(request)
  Object.assign(newsletter, checked((request.variables.updates ?? {}) as Updates))
  return updated(newsletter)
}

export function join(request: Request) {
  const newsletter = find(request)
  const { number } = request.person
  if (!newsletter.subscribers.has(number)) newsletter.subscribers.set(number, { role: 'SUBSCRIBER', isMuted: false })
  return { id: newsletter.id, state: stateOf(newsletter) }
}

export function leave(request: Request) {
  const newsletter = find(request)
  if (roleOf(newsletter, request.person) === 'OWNER') throw new MexError(403, 'Forbidden')
  newsletter.subscribers.delete(request.person.number)
  return { id: newsletter.id, state: stateOf(newsletter) }
}

function follower(request: Request) {
  const newsletter = find(request)
  const own = newsletter.subscribers.get(request.person.number)
  if (!own) throw new MexError(403, 'Forbidden')
  return { newsletter, own }
}

export function mute(request: Request, isMuted: boolean) {
  const { newsletter, own } = follower(request)
  own.isMuted = isMuted
  return { id: newsletter.id, state: stateOf(newsletter) }
}

/** Changes a setting of the reader. Each setting has its own mutation. */
function setForViewer(request: Request) {
  const input = (request.variables.input ?? {}) as {
    newsletter_id?: unknown
    type?: unknown
    value?: unknown
    settings?: unknown
  }
  const { newsletter_id, type, value, settings } = input
  const isKnown = type === 'MUTE_ADMIN_ACTIVITY' || type === 'MUTE_FOLLOWER_ACTIVITY'
  if (settings !== undefined || !isKnown || (value !== 'ON' && value !== 'OFF')) throw new MexError(400, 'Bad Request')
  const about = { ...request, variables: { newsletter_id } }
  if (type === 'MUTE_ADMIN_ACTIVITY') return mute(about, value === 'ON')
  const { newsletter, own } = follower(about)
  own.hidesFollowers = value === 'ON'
  return { id: newsletter.id, state: stateOf(newsletter) }
}

function followers(request: Request) {
  const { newsletter_id: id, count = 50 } = (request.variables.input ?? {}) as { newsletter_id?: string; count?: number }
  const newsletter = administered({ ...request, variables: { newsletter_id: id } })
  const edges = [...newsletter.subscribers].slice(0, count).flatMap(([number, { role }]) => {
    const person = request.network.people.get(number)
    if (!person) return []
    const shown = { id: lidJidOf(person), pn: pnOf(person), display_name: person.name, username_info: null }
    return [{ node: shown, role, follow_time: String(newsletter.createdAt), admin_profile: null }]
  })
  return { followers: { edges } }
}

export function ownNewsletters({ network, person, variables }: Request) {
  const mine = [...network.newsletters.values()].filter(({ subscribers }) => subscribers.has(person.number))
  return mine.map((newsletter) => subscribed(newsletter, person, variables))
}

function remove(request: Request) {
  const newsletter = ownersOnly(request)
  request.network.newsletters.delete(newsletter.id)
  return { id: newsletter.id, state: { type: 'DELETED' } }
}

/**
 * GraphQL documents about channels. The first id of nearly all is that of the web client of August 2026. Further ids
 * are those of older clients.
 */
export const NEWSLETTER_DOCUMENTS: Document[] = [
  { name: 'CreateNewsletter', ids: ['25149874324715067', '8823471724422422'], path: 'xwa2_newsletter_create', answer: create },
  { name: 'UpdateNewsletter', ids: ['24250201037901610'], path: 'xwa2_newsletter_update', answer: update },
  {
    name: 'FetchNewsletter',
    ids: ['27456920720571478', '35452404184358876', '6563316087068696'],
    path: 'xwa2_newsletter',
    answer: metadata,
  },
  { name: 'FetchNewsletterDehydrated', ids: ['26944199458535748'], path: 'xwa2_newsletter', answer: dehydratedMetadata },
  { name: 'FetchAllNewslettersMetadata', ids: ['25399611239711790'], path: 'xwa2_newsletter_subscribed', answer: ownNewsletters },
  { name: 'FetchNewsletterFollowers', ids: ['27472091235714801'], path: 'xwa2_newsletter_followers', answer: followers },
  { name: 'FetchNewsletterPendingInvites', ids: ['9783111038412085'], path: 'xwa2_newsletter_admin', answer: pendingInvites },
  {
    name: 'JoinNewsletter',
    ids: ['24404358912487870'],
    path: 'xwa2_newsletter_join_v2',
    answer: join,
  },
  {
    name: 'LeaveNewsletter',
    ids: ['9767147403369991'],
    path: 'xwa2_newsletter_leave_v2',
    answer: leave,
  },
  {
    name: 'UpdateNewsletterUserSetting',
    ids: ['31938993655691868'],
    hasOlder: true,
    path: 'xwa2_newsletter_update_user_setting',
    answer: setForViewer,
  },
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
  {
    name: 'DemoteNewsletterAdmin',
    ids: ['9880997548630971'],
    hasOlder: true,
    path: 'xwa2_newsletter_admin_demote',
    answer: demote,
  },
  { name: 'DemoteNewsletterAdmin', ids: ['6551828931592903'], path: 'xwa2_newsletter_demote', answer: demote },
  { name: 'DeleteNewsletter', ids: ['30062808666639665'], path: 'xwa2_newsletter_delete_v2', answer: remove },
  {
    name: 'CreateNewsletterAdminInvite',
    ids: ['9387141988078609'],
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
