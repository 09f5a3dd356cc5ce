/** Applies an edit or a deletion to the stored message that it changes. */
import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/**
 * Sends an edit or a deletion, then calls `remember`, which applies it to the stored message. `remember` is also called if the send will be repeated,
 * because a repeated send does not come through here.
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
