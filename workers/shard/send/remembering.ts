/** What a send changes about a message that is known: an edit, a deletion. */
import { Failure } from '../../../src/domain/failures.ts'
import type { Accepted } from './contract.ts'

/** `remember` is called when it has left, or is going to: without an answer it leaves again as it is, without coming through here. */
export async function remembering(send: () => Promise<Accepted>, remember: () => Promise<void>): Promise<Accepted> {
  try {
    const accepted = await send()
    await remember()
    return accepted
  } catch (error) {
    if (error instanceof Failure && error.code === 'instance_not_connected') await remember()
    throw error
  }
}
