/** Translates notifications of channels: administrators who were added or removed, and reactions. */
import { type BinaryNode, isJidNewsletter } from '@whiskeysockets/baileys'
import { fromJid } from '../../../../src/domain/ids.ts'
import { cutOrEmpty, idOrEmpty, isoOrNull, secondsOf } from '../../wire/bounds.ts'
import { identifierOf } from '../../wire/jid.ts'
import { mexUpdateIn, newsletterRolesIn } from '../../wire/mex-notice.ts'
import { type NewsletterChange, newsletterNoticeIn } from '../../wire/newsletter-notice.ts'
import { block, type InboundContext, notification, type Translated } from './family.ts'

/**
 * A translated notification and its channel. The channel is a separate field, because a `mex` notification comes from
 * the server and not from the channel.
 */
export interface NewsletterNotice {
  newsletter: string
  translated: Translated
}

const isPerson = (jid: string) => fromJid(jid)?.kind === 'user'

type Role = 'promote' | 'demote'

const roleChange = async (
  context: InboundContext,
  newsletter: string,
  user: string,
  role: Role,
  alt?: string,
): Promise<NewsletterNotice> => ({
  newsletter,
  translated: notification({ notification: `newsletter_admin_${role}` }, [
    (await context.identity.person(user, alt)).phone,
    role === 'promote' ? 'admin' : 'subscriber',
  ]),
})

export async function newsletterNotices(node: BinaryNode, context: InboundContext): Promise<NewsletterNotice[]> {
  const { newsletter, t, changes } = newsletterNoticeIn(node)
  const notices: NewsletterNotice[] = []
  for (const change of changes) {
    if (change.type === 'reaction') notices.push({ newsletter, translated: await reactionTo(change, newsletter, t, context) })
    else if (isPerson(change.jid))
      notices.push(await roleChange(context, newsletter, change.jid, change.isAdmin ? 'promote' : 'demote'))
  }
  return notices
}

/** Translates a reaction. The network does not report who reacted, so the channel is reported as the author. */
async function reactionTo(
  { serverId, code }: Extract<NewsletterChange, { type: 'reaction' }>,
  newsletter: string,
  t: string | undefined,
  { now, post }: InboundContext,
): Promise<Translated> {
  const known = await post(newsletter, serverId)
  return block('reaction', {
    value: cutOrEmpty(code, 64),
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

export async function mexNotices(node: BinaryNode, context: InboundContext): Promise<NewsletterNotice[]> {
  const { operation, json } = mexUpdateIn(node)
  const role = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined
  if (!role) return []
  const found = newsletterRolesIn(json).flatMap(({ newsletter, names }) => {
    const [user, alt] = names.filter(isPerson)
    return user && isJidNewsletter(newsletter) ? [{ newsletter, user, alt }] : []
  })
  return Promise.all(found.map(({ newsletter, user, alt }) => roleChange(context, newsletter, user, role, alt)))
}
