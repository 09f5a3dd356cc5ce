/**
 * Translates notifications of groups. They are read from the stanza, because the messages that Baileys makes of them
 * contain only the first child.
 */
import { areJidsSameUser, type BinaryNode } from '@whiskeysockets/baileys'
import { fromJid } from '../../../../src/domain/ids.ts'
import type { PlainNotification } from '../../../../src/features/received/notifications.ts'
import { createTurns } from '../../../../src/lib/turns.ts'
import { cut } from '../../wire/bounds.ts'
import { type Actor, type GroupChange, groupNoticeIn, type NoticePerson, peopleIn, requestedIn } from '../../wire/group-notice.ts'
import { type InboundContext, notification, type Translated } from './family.ts'

type Make = (change: GroupChange, context: InboundContext, actor: Actor) => Translated[] | Promise<Translated[]>

const PARAMETER = 1_024

const one =
  (name: PlainNotification, parameter: (change: GroupChange) => string | null | undefined): Make =>
  (change) => {
    const value = parameter(change)
    return value === null || value === undefined ? [] : [notification({ notification: name }, [cut(value, PARAMETER)])]
  }

const isPerson = ({ jid }: NoticePerson) => fromJid(jid)?.kind === 'user'

const person = (context: InboundContext, { jid, alt }: NoticePerson) => context.identity.person(jid, alt)

const people =
  (name: PlainNotification): Make =>
  async (change, context, actor) => {
    const members = peopleIn(change).filter(isPerson)
    if (members.length === 0) return []
    const [only] = members
    // A member who removes only themselves has left the group.
    const isLeaving = name === 'group_participant_remove' && members.length === 1 && isSame(only!, actor)
    const turn = createTurns()
    const names: string[] = []
    for (const member of members) {
      names.push((await person(context, member)).phone)
      await turn()
    }
    return [notification({ notification: isLeaving ? 'group_participant_leave' : name }, names)]
  }

const isSame = ({ names }: NoticePerson, { jid, alt }: Actor) =>
  names.some((name) => areJidsSameUser(name, jid) || areJidsSameUser(name, alt))

/** Returns the people who ask to join; empty if the person who made the change asks for themselves. */
function askers(change: GroupChange): NoticePerson[] {
  const requested = requestedIn(change)
  return (requested.length > 0 ? requested : peopleIn(change)).filter(isPerson)
}

const asker = ({ jid = '', alt }: Actor): NoticePerson => ({ jid, alt, names: [jid, alt].flatMap((name) => name || []) })

const REQUEST_METHODS = ['invite_link', 'non_admin_add', 'linked_group_join'] as const

const requests: Make = async (change, context, actor) => {
  const method = (change.requestMethod ?? '').toLowerCase()
  const request_method = REQUEST_METHODS.find((each) => each === method) ?? 'invite_link'
  const named = askers(change)
  const users = named.length > 0 ? named : [asker(actor)].filter(isPerson)
  return Promise.all(
    users.map(async (user) => {
      const { phone } = await person(context, user)
      // If a member has added a person and an administrator must approve this, the added person is the one who asks to
      // join.
      const isAdded = isPerson(asker(actor)) && !isSame(user, actor)
      const adder = isAdded ? [(await context.identity.person(actor.jid ?? '', actor.alt)).phone] : []
      return notification({ notification: 'membership_approval_request', request_method }, [phone, ...adder])
    }),
  )
}

const revocations: Make = async (change, context, actor) =>
  Promise.all(
    askers(change).map(async (user) => {
      const request_action = isSame(user, actor) ? 'revoked' : 'rejected'
      return notification({ notification: 'revoked_membership_requests', request_action }, [(await person(context, user)).phone])
    }),
  )

const CHANGES: Readonly<Record<string, Make>> = {
  create: one('group_create', ({ subject }) => subject ?? ''),
  subject: one('group_change_subject', ({ subject }) => subject ?? ''),
  description: one('group_change_description', ({ body }) => body ?? ''),
  invite: one('group_change_invite_link', ({ code }) => code),
  locked: one('group_change_restrict', () => 'on'),
  unlocked: one('group_change_restrict', () => 'off'),
  announcement: one('group_change_announce', () => 'on'),
  not_announcement: one('group_change_announce', () => 'off'),
  add: people('group_participant_add'),
  remove: people('group_participant_remove'),
  leave: people('group_participant_leave'),
  promote: people('group_participant_promote'),
  demote: people('group_participant_demote'),
  modify: people('group_participant_change_number'),
  member_add_mode: one('group_member_add_mode', ({ text }) => text),
  membership_approval_mode: one('group_membership_approval_mode', ({ approval }) => approval),
  created_membership_requests: requests,
  revoked_membership_requests: revocations,
  ephemeral: one('ephemeral_setting_changed', ({ expiration }) => expiration ?? '0'),
  not_ephemeral: one('ephemeral_setting_changed', () => '0'),
}

export async function groupNotices(node: BinaryNode, context: InboundContext): Promise<Translated[]> {
  const { actor, changes } = groupNoticeIn(node)
  const translated: Translated[] = []
  for (const change of changes) {
    const make = Object.hasOwn(CHANGES, change.kind) ? CHANGES[change.kind] : undefined
    if (make) translated.push(...(await make(change, context, actor)))
  }
  return translated
}
