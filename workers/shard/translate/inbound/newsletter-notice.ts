/** Notifications of channels: who became or is no longer an admin, and reactions, in their own stanzas and as `mex` updates. */
import { type BinaryNode, getBinaryNodeChild, isJidNewsletter } from '@whiskeysockets/baileys'
import { fromJid } from '../../../../src/domain/ids.ts'
import { cutOrEmpty, idOrEmpty, isoOrNull, secondsOf } from '../../wire/bounds.ts'
import { identifierOf } from '../../wire/jid.ts'
import { type Json, jsonObject, object, objects, textOf } from '../../wire/json.ts'
import { block, type InboundContext, notification, type Told } from './family.ts'

/** A notice and the channel it is about: a `mex` update comes from the server, not from the channel. */
export interface NewsletterNotice {
  newsletter: string
  told: Told
}

const isPerson = (jid: string | undefined) => fromJid(jid ?? '')?.kind === 'user'

type Role = 'promote' | 'demote'

const roleChange = async (
  context: InboundContext,
  newsletter: string,
  user: string,
  role: Role,
  alt?: string,
): Promise<NewsletterNotice> => ({
  newsletter,
  told: notification({ notification: `newsletter_admin_${role}` }, [
    (await context.identity.person(user, alt)).phone,
    role === 'promote' ? 'admin' : 'subscriber',
  ]),
})

/** `<notification type=newsletter>`. */
export async function newsletterNotices(node: BinaryNode, context: InboundContext): Promise<NewsletterNotice[]> {
  const newsletter = node.attrs.from ?? ''
  const notices: NewsletterNotice[] = []
  for (const child of Array.isArray(node.content) ? node.content : []) {
    if (child.tag === 'participant' && isPerson(child.attrs.jid)) {
      const role: Role = /admin/i.test(child.attrs.role ?? '') || child.attrs.action === 'promote' ? 'promote' : 'demote'
      notices.push(await roleChange(context, newsletter, child.attrs.jid ?? '', role))
    }
    if (child.tag === 'reaction') notices.push({ newsletter, told: reactionTo(child, newsletter, node.attrs.t, context) })
  }
  return notices
}

/**
 * Who reacts to a post stays unknown: the channel itself stands for them. The network names the post by its number; it is told under the id
 * of its message where we still know that.
 */
function reactionTo(child: BinaryNode, newsletter: string, t: string | undefined, { now, post }: InboundContext): Told {
  const serverId = child.attrs.message_id ?? child.attrs.server_id ?? ''
  const known = post(newsletter, serverId)
  const inner = getBinaryNodeChild(child, 'reaction')
  const { content } = inner ?? {}
  const code = inner?.attrs.code ?? (content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : content)
  return block('reaction', {
    value: cutOrEmpty(typeof code === 'string' ? code : '', 64),
    time: isoOrNull(secondsOf(t, now()) * 1_000),
    reaction_by: identifierOf(newsletter),
    referenced_message: {
      message_id: idOrEmpty(known?.id ?? serverId),
      from_me: known?.fromMe === true,
      phone: identifierOf(newsletter),
      participant: null,
    },
  })
}

const OPERATIONS: Readonly<Record<string, Role>> = {
  NotificationNewsletterAdminPromote: 'promote',
  NotificationNewsletterAdminDemote: 'demote',
}

/** `<notification type=mex>`: JSON, in the form with `updates` and in the one with the query's own answer. */
export async function mexNotices(node: BinaryNode, context: InboundContext): Promise<NewsletterNotice[]> {
  const update = getBinaryNodeChild(node, 'update') ?? getBinaryNodeChild(node, 'mex')
  const { content } = update ?? {}
  const json = jsonObject(content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : String(content ?? ''))
  const role = OPERATIONS[textOf(json.operation) ?? update?.attrs.op_name ?? '']
  if (!role) return []
  const updates = [...objects(json.updates), ...Object.values(object(json.data)).map(object)]
  const found = updates.flatMap((each) => {
    const newsletter = textOf(each.jid) ?? textOf(each.id)
    const [user, alt] = namesOf(each)
    return newsletter && user && isJidNewsletter(newsletter) ? [{ newsletter, user, alt }] : []
  })
  return Promise.all(found.map(({ newsletter, user, alt }) => roleChange(context, newsletter, user, role, alt)))
}

/** A jid, or an object with the names of the person. */
function namesOf({ user }: Json): string[] {
  const { jid, id, pn } = object(user)
  return [user, jid, id, pn].map(textOf).flatMap((name) => (name && isPerson(name) ? [name] : []))
}
