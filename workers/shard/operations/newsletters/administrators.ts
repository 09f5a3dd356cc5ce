import { Failure } from '../../../../src/domain/failures.ts'
import { type NewsletterIdentifier, toJid, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import type { MexName } from '../../wire/mex.ts'
import { TERMS } from '../../wire/newsletters.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { acceptTerms, asFollower } from './following.ts'

const DONE = { value: true } as const

/** Throws if the channel was not found. The network then answers a mutation with null. */
const known = (answer: unknown) => {
  if (answer === null) throw new Failure('newsletter_not_found')
}

export const newsletterAdministrators: Handlers<typeof import('../../../../src/features/newsletters/administrators.ts')> = {
  async 'newsletters.acceptAdminInvite'(context, { newsletter_id }) {
    await acceptTerms(context, TERMS.administer)
    const jid = toJid(newsletter_id)
    known(await context.ask.mex('AcceptNewsletterAdminInvite', { newsletter_id: jid }))
    context.session.newsletterRoles.forget(jid)
    return DONE
  },

  'newsletters.revokeAdminInvite': (context, input) => change(context, 'RevokeNewsletterAdminInvite', input),

  'newsletters.removeAdmin': (context, input) => change(context, 'DemoteNewsletterAdmin', input),

  'newsletters.transferOwnership': (context, { quit_admin, ...input }) =>
    change(context, 'ChangeNewsletterOwner', input, async (jid) => {
      if (quit_admin) await quit(context, jid)
    }),
}

interface About {
  newsletter_id: NewsletterIdentifier
  phone: UserIdentifier
}

/**
 * Changes the role of a person in a channel. The mutation may change the account's own role too, so the stored role is
 * forgotten.
 */
async function change(
  context: ActionContext,
  name: MexName,
  { newsletter_id, phone }: About,
  andThen: (jid: string) => Promise<void> = async () => {},
) {
  const user_id = await userIdOf(context, phone)
  await asFollower(context, newsletter_id, async (jid) => {
    known(await context.ask.mex(name, { newsletter_id: jid, user_id }))
    context.session.newsletterRoles.forget(jid)
    await andThen(jid)
  })
  return DONE
}

/**
 * Ends the account's own role as administrator, after the ownership was transferred. If this fails, the details of the
 * failure say that the ownership is transferred.
 */
async function quit({ ask, session }: ActionContext, jid: string): Promise<void> {
  const [pn, lid = pn] = session.identity.own()
  try {
    known(await ask.mex('DemoteNewsletterAdmin', { newsletter_id: jid, user_id: lid ?? '' }))
  } catch (cause) {
    const details = cause instanceof Failure ? cause.details : undefined
    throw new Failure('action_failed', { cause, details: { ...details, ownership_transferred: true } })
  }
}

/** Returns the id of a person for the network: the LID if the account itself has a LID, otherwise the number. */
async function userIdOf(context: ActionContext, phone: UserIdentifier): Promise<string> {
  const [person] = await peopleOf(context, [phone])
  const { lid = null, pn = null } = person ?? {}
  const id = context.session.me?.lid === undefined ? (pn ?? lid) : (lid ?? pn)
  if (id === null)
    throw new Failure('invalid_phone', { details: { issues: [{ path: 'phone', message: 'has no WhatsApp account' }] } })
  return id
}
