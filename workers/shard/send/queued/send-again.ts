/**
 * Sends an item again that may have been sent before a kill or a disconnection. The stored message is sent, because a
 * new one would have other secrets under the same id.
 */
import { Failure } from '../../../../src/domain/failures.ts'
import { isDeleted } from '../../messages/known-messages.ts'
import { EDIT } from '../../translate/outbound/stanza.ts'
import { chatKind } from '../../wire/jid.ts'
import type { Accepted, SendContext } from '../contract.ts'
import { writableGroup } from '../destination.ts'
import { relayPost } from '../newsletter.ts'
import { relay } from '../relay.ts'
import { relayStatus } from '../status/post.ts'

export async function sendAgain(context: SendContext): Promise<Accepted | null> {
  const { messages, item } = context
  const { message, stanza } = (await messages.sent.stored(item.messageId)) ?? {}
  // Earlier versions of the service did not store the stanza, so the destination is unknown.
  if (!message || !stanza) return null
  // The message was deleted on the phone, so the network already has it.
  if (isDeleted({ key: { id: item.messageId }, message })) return { message: null }
  switch (chatKind(stanza.to)) {
    case 'newsletter':
      return relayPost(context, message, stanza).catch((error) => {
        // The network accepted this deletion at the first attempt, so the message that it deletes no longer exists.
        if (stanza.attributes.edit === EDIT.adminRemoval && error instanceof Failure && error.code === 'newsletter_not_found')
          return { message: null }
        throw error
      })
    case 'status':
      return relayStatus(context, message, stanza)
    case 'group':
      // Since the first attempt, the group may have been suspended or the account may have left it. In both cases this
      // call rejects.
      await writableGroup(context, stanza.to)
      return relay(context, { message, stanza })
    default:
      return relay(context, { message, stanza })
  }
}
