import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/**
 * Sends an edit or a deletion, and then calls `remember`, which applies the change to the stored message. If the
 * connection is lost, the queue repeats the send from the stored copy and does not call this function again. So
 * `remember` is also called in this case.
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
