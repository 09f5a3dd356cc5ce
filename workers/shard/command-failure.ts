/** Converts the error of a command to data, and logs what the caller is not told. */
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
  // If the disk prevents a start after a boot, the engine retries this start. It would interpret `engine_unavailable` as the end of the shard.
  if (isStorageFailure(error) && !(command.type === 'start' && command.how === 'boot')) {
    log.error({ ...about, err: error }, 'an operation on an instance failed because of the disk')
    return noStorage().toData()
  }
  if (!(error instanceof Failure)) {
    log.error({ ...about, err: error }, 'an operation on an instance failed because of a defect in the service; please report it')
    return new Failure('internal').toData()
  }
  // The network's error is kept as the cause and logged; only the code and the message leave the thread.
  if (error.cause !== undefined) log.warn({ ...about, code: error.code, err: error.cause }, 'an operation on an instance failed')
  return error.toData()
}
