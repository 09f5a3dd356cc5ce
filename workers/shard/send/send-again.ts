/**
 * An item whose network call had begun before the process or the connection went: the contact may have it already, and keeps that one. So
 * what leaves again is what is stored (`sent.ts`), and not the same request composed once more: with another secret, another media key or
 * another link under the same id, whatever is said about it later could be read by one of the two only.
 */
import { Failure } from '../../../src/domain/failures.ts'
import { EDIT } from '../translate/outbound/stanza.ts'
import { chatKind } from '../wire/jid.ts'
import type { Accepted, SendContext } from './contract.ts'
import { writableGroup } from './destination.ts'
import { relayPost } from './newsletter.ts'
import { relay } from './relay.ts'
import { relayStatus } from './status-post.ts'

/** Null: it had not come as far as to be stored, so nobody has it, or it is no message. */
export async function sendAgain(context: SendContext): Promise<Accepted | null> {
  const { session, sent, item } = context
  const { message, stanza } = (await sent.letter(item.messageId)) ?? {}
  // Versions before did not store the stanza: where it went to is not known then.
  if (!message || !stanza) return null
  switch (chatKind(stanza.to)) {
    case 'newsletter':
      return relayPost(context, message, stanza).catch((error) => {
        // The network took it the first time: there is nothing left to be removed.
        if (stanza.attributes.edit === EDIT.adminRemoval && error instanceof Failure && error.code === 'newsletter_not_found')
          return { message: null }
        throw error
      })
    case 'status':
      return relayStatus(context, message, stanza)
    case 'group':
      // Who is in it may have changed; refusals get the words they have at a first try.
      await writableGroup(session, stanza.to)
      return relay(context, { message, stanza })
    default:
      return relay(context, { message, stanza })
  }
}
