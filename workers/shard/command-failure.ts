/** Converts the error of a command to data for the caller, and logs the cause of the error, which the caller does not get. */
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
  // If the disk prevents a start after a boot, the engine retries the start. So such a start does not get the code `engine_unavailable`, which would
  // tell the engine that the shard has ended.
  if (isStorageFailure(error) && !(command.type === 'start' && command.how === 'boot')) {
    log.error({ ...about, err: error }, 'an operation on an instance failed because of the disk')
    return noStorage().toData()
  }
  if (!(error instanceof Failure)) {
    log.error({ ...about, err: error }, 'an operation on an instance failed because of a defect in the service; please report it')
    return new Failure('internal').toData()
  }
  // The cause is the network's error. It is only logged; the caller gets the code and the message of the failure.
  if (error.cause !== undefined) log.warn({ ...about, code: error.code, err: error.cause }, 'an operation on an instance failed')
  return error.toData()
}
