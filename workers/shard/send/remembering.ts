/** What a send changes about a message that is known: an edit, a deletion. */
import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/** `remember` is called when it has left, or is going to: one that is stored leaves again as it is, without coming through here. */
export async function remembering(
  { sent, item }: Pick<SendContext, 'sent' | 'item'>,
  send: () => Promise<Accepted>,
  remember: () => Promise<void>,
): Promise<Accepted> {
  try {
    const accepted = await send()
    await remember()
    return accepted
  } catch (error) {
    const isBack = error instanceof Failure && error.code === 'instance_not_connected'
    if (isBack && (await sent.stored(item.messageId))) await remember()
    throw error
  }
}
