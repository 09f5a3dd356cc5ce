/** Converts the error of a command to data for the caller, and logs its cause, which the caller does not get. */
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { Log } from '../../src/domain/log.ts'
import { isStorageFailure, noStorage } from '../../src/domain/storage-failure.ts'
import type { ShardCommand } from '../../src/engine/protocol.ts'

export function commandFailure(error: unknown, command: ShardCommand, log: Log): FailureData {
  const about = {
    command: command.type,
    instance: 'instance' in command ? command.instance : 'config' in command ? command.config.id : undefined,
    operation: command.type === 'call' ? command.call.operation : undefined,
  }
  if (isStorageFailure(error)) {
    log.error({ ...about, err: error }, 'an operation on an instance failed because of the disk')
    // The engine retries the start of an existing instance after `internal`, but not after `engine_unavailable`.
    const isRetried = command.type === 'start' && command.how !== 'create'
    return (isRetried ? new Failure('internal') : noStorage()).toData()
  }
  if (!(error instanceof Failure)) {
    log.error({ ...about, err: error }, 'an operation on an instance failed because of a defect in the service; please report it')
    return new Failure('internal').toData()
  }
  // The caller gets the code and the message of the failure; its cause is only logged.
  if (error.cause !== undefined) log.warn({ ...about, code: error.code, err: error.cause }, 'an operation on an instance failed')
  return error.toData()
}
