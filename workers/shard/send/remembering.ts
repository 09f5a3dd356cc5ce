import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/**
 * `remember` applies the change to the stored message. It runs even if the send fails and will be repeated, because a
 * repetition does not call this function.
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
