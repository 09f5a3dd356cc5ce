/** A remembered message that is changed: what quotes, forwards or changes it from then on takes its content as it is, not as it was first sent. */
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted, SendContext } from './contract.ts'

/** `changed`: the whole new content. The secret stays that of the original, which reactions and answers to it are sealed with. */
export async function remembering(
  { recent }: Pick<SendContext, 'recent'>,
  original: WAMessage,
  changed: proto.IMessage,
  send: () => Promise<Accepted>,
): Promise<Accepted> {
  const { messageContextInfo } = original.message ?? {}
  const remember = () =>
    recent.add({ ...original, message: { ...changed, ...(messageContextInfo ? { messageContextInfo } : {}) } })
  try {
    const accepted = await send()
    remember()
    return accepted
  } catch (error) {
    // It leaves again as it is, without coming through here.
    if (error instanceof Failure && error.code === 'instance_not_connected') remember()
    throw error
  }
}
