/**
 * Notifications of groups, from the stanza itself: the library's stubs lose every child but the first, the other name of who is meant,
 * and who acted on a picture (webhook-payloads.md, 2.5). One event per change; `participant_phone` is who acted.
 */
import { areJidsSameUser, type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { fromJid } from '../../../../src/domain/ids.ts'
import type { PlainNotification } from '../../../../src/features/received-blocks.ts'
import { cut } from '../../wire/bounds.ts'
import { type InboundContext, notification, type Told } from './family.ts'

type Make = (child: BinaryNode, context: InboundContext, actor: Actor) => Told[] | Promise<Told[]>

interface Actor {
  jid: string | undefined
  alt: string | undefined
}

/** Each parameter at most this long. */
const PARAMETER = 1_024

const one =
  (name: PlainNotification, parameter: (child: BinaryNode) => string | null | undefined): Make =>
  (child) => {
    const value = parameter(child)
    return value === null || value === undefined ? [] : [notification({ notification: name }, [cut(value, PARAMETER)])]
  }

const textOf = (node: BinaryNode | undefined): string | null => {
  const { content } = node ?? {}
  return typeof content === 'string' ? content : content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : null
}

/** Whoever is named by what is no jid of a person is nobody. */
const isPerson = ({ attrs }: BinaryNode) => fromJid(attrs.jid ?? '')?.kind === 'user'

const person = (context: InboundContext, { attrs }: BinaryNode) =>
  context.identity.person(attrs.jid ?? '', attrs.phone_number ?? attrs.lid)

const people =
  (name: PlainNotification): Make =>
  async (child, context, actor) => {
    const members = getBinaryNodeChildren(child, 'participant').filter(isPerson)
    if (members.length === 0) return []
    const [only] = members
    // Who removes only itself has left.
    const isLeaving = name === 'group_participant_remove' && members.length === 1 && isSame(only!, actor)
    const names = await Promise.all(members.map(async (member) => (await person(context, member)).phone))
    return [notification({ notification: isLeaving ? 'group_participant_leave' : name }, names)]
  }

const isSame = ({ attrs }: BinaryNode, { jid, alt }: Actor) =>
  [attrs.jid, attrs.phone_number, attrs.lid].some((name) => areJidsSameUser(name, jid) || areJidsSameUser(name, alt))

/** Who asks to join, or asked: named by themselves, or they are who acts. */
function askers(child: BinaryNode): BinaryNode[] {
  const named = getBinaryNodeChildren(child, 'requested_user')
  return (named.length > 0 ? named : getBinaryNodeChildren(child, 'participant')).filter(isPerson)
}

const asker = ({ jid, alt }: Actor): BinaryNode => ({
  tag: 'participant',
  attrs: { jid: jid ?? '', ...(alt ? { lid: alt } : {}) },
})

const REQUEST_METHODS = ['invite_link', 'non_admin_add', 'linked_group_join'] as const

const requests: Make = async (child, context, actor) => {
  const method = (child.attrs.request_method ?? '').toLowerCase()
  const request_method = REQUEST_METHODS.find((each) => each === method) ?? 'invite_link'
  const named = askers(child)
  const users = named.length > 0 ? named : [asker(actor)].filter(isPerson)
  return Promise.all(
    users.map(async (user) => {
      const { phone } = await person(context, user)
      // Whoever added somebody that has to be approved is not the one who asks.
      const isAdded = isPerson(asker(actor)) && !isSame(user, actor)
      const adder = isAdded ? [(await context.identity.person(actor.jid ?? '', actor.alt)).phone] : []
      return notification({ notification: 'membership_approval_request', request_method }, [phone, ...adder])
    }),
  )
}

const revocations: Make = async (child, context, actor) =>
  Promise.all(
    askers(child).map(async (user) => {
      const request_action = isSame(user, actor) ? 'revoked' : 'rejected'
      return notification({ notification: 'revoked_membership_requests', request_action }, [(await person(context, user)).phone])
    }),
  )

const CHANGES: Readonly<Record<string, Make>> = {
  create: one('group_create', (child) => getBinaryNodeChild(child, 'group')?.attrs.subject ?? child.attrs.subject ?? ''),
  subject: one('group_change_subject', ({ attrs }) => attrs.subject ?? ''),
  description: one('group_change_description', (child) => textOf(getBinaryNodeChild(child, 'body')) ?? ''),
  invite: one('group_change_invite_link', ({ attrs }) => attrs.code),
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
  member_add_mode: one('group_member_add_mode', textOf),
  membership_approval_mode: one(
    'group_membership_approval_mode',
    (child) => getBinaryNodeChild(child, 'group_join')?.attrs.state,
  ),
  created_membership_requests: requests,
  revoked_membership_requests: revocations,
  ephemeral: one('ephemeral_setting_changed', ({ attrs }) => attrs.expiration ?? '0'),
  not_ephemeral: one('ephemeral_setting_changed', () => '0'),
}

/** Of a `w:gp2` notification, in the order of its children; empty when none of them is told. */
export async function groupNotices({ attrs, content }: BinaryNode, context: InboundContext): Promise<Told[]> {
  const actor: Actor = { jid: attrs.participant, alt: attrs.participant_pn ?? attrs.participant_lid }
  const told: Told[] = []
  for (const child of Array.isArray(content) ? content : []) {
    const make = Object.hasOwn(CHANGES, child.tag) ? CHANGES[child.tag] : undefined
    if (make) told.push(...(await make(child, context, actor)))
  }
  return told
}
