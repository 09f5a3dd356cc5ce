import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/**
 * Sends an edit or a deletion, and then calls `remember`, which applies the change to the stored message. `remember` is
 * also called if the connection is lost after the edit or deletion was stored: the queue then repeats the send without
 * this function.
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
