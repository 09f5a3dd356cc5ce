/** Applies the effect of a send on a stored message: an edit or a deletion. */
import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/**
 * Sends a message and applies its effect. `remember` is called when the message was sent, and also if it will be sent again, because a stored message
 * is sent again without this step.
 */
export async function remembering(
  { messages, item }: Pick<SendContext, 'messages' | 'item'>,
  send: () => Promise<Accepted>,
  remember: () => Promise<void>,
): Promise<Accepted> {
  try {
    const accepted = await send()
    await remember()
    return accepted
  } catch (error) {
    const isBack = error instanceof Failure && error.code === 'instance_not_connected'
    if (isBack && (await messages.sent.stored(item.messageId))) await remember()
    throw error
  }
}
