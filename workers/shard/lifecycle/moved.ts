/**
 * Refuses work for an instance whose device was handed to another program or server: nothing is started, accepted or
 * expired here, because the other side does it.
 */
import { Failure } from '../../../src/domain/failures.ts'
import type { RuntimeState } from '../../../src/domain/instance.ts'

export const hasMoved = ({ reason }: Pick<RuntimeState, 'reason'>): boolean => reason === 'moved'

const MOVED = 'The account was moved to another program.'

/** Starting a moved device here would take the connection from the other program, and both would lose messages. */
export function refuseStart(state: Pick<RuntimeState, 'reason'>): void {
  if (!hasMoved(state)) return
  throw new Failure('not_allowed', {
    message: `${MOVED} If that was called off, the operator takes it back with \`instance resume\`.`,
  })
}

/** The archive of the instance may already have been read, so a message that is queued now would be in no queue that is ever sent. */
export function refuseSend(state: Pick<RuntimeState, 'reason'>): void {
  if (hasMoved(state))
    throw new Failure('queue_disabled_while_disconnected', { message: `${MOVED} Messages are not queued here.` })
}
