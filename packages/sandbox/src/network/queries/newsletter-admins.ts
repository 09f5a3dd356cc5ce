import { seconds } from '../../wire/node.ts'
import type { Person } from '../model.ts'
import { newRole } from '../newsletters.ts'
import { findPerson, lidJidOf, pnOf } from '../people.ts'
import { MexError, type MexRequest as Request } from './document.ts'
import { administered, find, owned, ownersOnly } from './newsletter-access.ts'
import { roleOf } from './newsletter-shown.ts'

export function admins(request: Request) {
  const newsletter = administered(request)
  const roles = [...newsletter.subscribers.values()].map(({ role }) => role)
  return { id: newsletter.id, admin_count: roles.filter((role) => role !== 'SUBSCRIBER').length, admin_profile: null }
}

export function pendingInvites(request: Request) {
  const newsletter = administered(request)
  const people = (newsletter.invited ?? []).flatMap((number) => request.network.people.get(number) ?? [])
  const invites = people.map((person) => ({ user: { id: lidJidOf(person), pn: pnOf(person) } }))
  return { id: newsletter.id, pending_admin_invites: invites }
}

function other(request: Request): Person {
  const id = String(request.variables.user_id ?? '')
  if (id.includes(':')) throw new MexError(400, 'Bad Request')
  const person = findPerson(request.network, id)
  if (!person) throw new MexError(404, 'Not Found')
  return person
}

export function changeOwner(request: Request) {
  const newsletter = ownersOnly(request)
  const { number } = other(request)
  const role = newsletter.subscribers.get(number)
  if (role?.role !== 'ADMIN') throw new MexError(400, 'Bad Request')
  const before = newsletter.subscribers.get(newsletter.owner)
  newsletter.subscribers.set(newsletter.owner, { isMuted: false, ...before, role: 'ADMIN' })
  newsletter.subscribers.set(number, { ...role, role: 'OWNER' })
  newsletter.owner = number
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

/**
 * Demotes an administrator. The owner can do this, and administrators can demote themselves. All followers are
 * notified.
 */
export function demote(request: Request) {
  const { network, person } = request
  const demoted = other(request)
  const newsletter = demoted === person ? owned(request) : ownersOnly(request)
  if (roleOf(newsletter, demoted) !== 'ADMIN') throw new MexError(400, 'Bad Request')
  newRole(network, newsletter, person, demoted, 'subscriber', 'mex')
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

const INVITE_LIFE = 7 * 24 * 3_600

export function inviteAdmin(request: Request) {
  const newsletter = ownersOnly(request)
  newsletter.invited = [...(newsletter.invited ?? []), other(request).number]
  return { id: newsletter.id, invite_expiration_time: String(seconds() + INVITE_LIFE) }
}

export function revokeInvite(request: Request) {
  const newsletter = owned(request)
  const { number } = other(request)
  if (!newsletter.invited?.includes(number)) throw new MexError(404, 'Not Found')
  newsletter.invited = newsletter.invited.filter((invited) => invited !== number)
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}

export function acceptInvite(request: Request) {
  const newsletter = find(request)
  const { network, person } = request
  const { number } = person
  if (!newsletter.invited?.includes(number)) throw new MexError(404, 'Not Found')
  newsletter.invited = newsletter.invited.filter((invited) => invited !== number)
  newRole(network, newsletter, person, person, 'admin', 'mex')
  return { __typename: 'XWA2Newsletter', id: newsletter.id }
}
