/** Refuses work for an instance whose device was moved to another program or server, which now does this work. */
import { Failure } from '../../../src/domain/failures.ts'
import type { RuntimeState } from '../../../src/domain/instance.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'

export const hasMoved = ({ reason }: Pick<RuntimeState, 'reason'>): boolean => reason === 'moved'

/**
 * Returns the operations that remove the record of an earlier move's archive, for the commit with which a move begins
 * or ends. Otherwise an export could take that archive for its own, and remove messages that the archive does not
 * contain.
 */
export const endEarlierMove = (
  instance: string,
  before: Pick<RuntimeState, 'reason'>,
  after: Pick<RuntimeState, 'reason'>,
): Op[] => (hasMoved(before) === hasMoved(after) ? [] : [[keys.movedTo(instance), null]])

const MOVED = 'The account was moved to another program.'

/**
 * Throws if the device was moved. A start here would take the connection from the other program, and both would
 * lose messages.
 */
export function refuseStart(state: Pick<RuntimeState, 'reason'>): void {
  if (!hasMoved(state)) return
  throw new Failure('not_allowed', {
    message: `${MOVED} If the move was cancelled, the operator can start the account here again with \`instance resume\`.`,
  })
}

/**
 * Throws if the device was moved. The other server may already have the archive of the instance, so a message that
 * is queued now would be lost.
 */
export function refuseSend(state: Pick<RuntimeState, 'reason'>): void {
  if (hasMoved(state))
    throw new Failure('queue_disabled_while_disconnected', { message: `${MOVED} Messages are not queued here.` })
}
