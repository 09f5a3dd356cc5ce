/**
 * Finds the account of a profile or a catalog. The network stores catalogs by phone number, so a person is addressed by
 * the number if it is known.
 */
import { Failure } from '../../../../src/domain/failures.ts'
import type { UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import type { ActionContext } from '../types.ts'

/**
 * Returns the account of a person, or the account of the instance if there is no number. Rejects with
 * `phone_not_on_whatsapp`.
 */
export async function accountOf(context: ActionContext, phone: UserIdentifier | undefined): Promise<string> {
  if (phone === undefined) return ownAccount(context)
  const [person] = await peopleOf(context, [phone])
  const jid = person?.pn ?? person?.lid
  if (!jid) throw new Failure('phone_not_on_whatsapp')
  return jid
}

export function ownAccount({ session }: ActionContext): string {
  const [own] = session.identity.own()
  if (own === undefined) throw new Failure('instance_not_connected')
  return own
}

export async function ownerOf(context: ActionContext, phone: UserIdentifier | undefined): Promise<string> {
  try {
    return await accountOf(context, phone)
  } catch (cause) {
    if (!(cause instanceof Failure && cause.code === 'phone_not_on_whatsapp')) throw cause
    throw new Failure('invalid_phone', { details: { issues: [{ path: 'phone', message: 'has no WhatsApp account' }] }, cause })
  }
}
