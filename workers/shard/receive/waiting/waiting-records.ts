import type { Logger } from 'pino'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { REMOVED_AT_ONCE, removeAll } from '../../../../src/storage/remove-all.ts'
import { repository } from '../../../../src/storage/repository.ts'
import type { Sealer } from '../../../../src/storage/sealer.ts'
import type { Mark } from '../../messages/seen-marks.ts'
import { WaitingMessage } from './waiting-message.ts'

export interface WaitingRecordsDeps {
  instance: string
  store: StateStore
  sealer: Sealer
  log: Pick<Logger, 'error'>
}

export function waitingRecords({ instance, store, sealer, log }: WaitingRecordsDeps) {
  const records = repository({ name: 'waiting message', schema: WaitingMessage, version: 1, sealed: sealer })
  const prefix = keys.waitings(instance)
  const keyOf = (mark: Mark) => keys.waiting(instance, mark)

  const remove = (mark: Mark): Op => records.remove(keyOf(mark))

  return {
    put: (mark: Mark, record: WaitingMessage): Op => records.encode(keyOf(mark), record),
    remove,
    async *all(): AsyncIterable<readonly [Mark, WaitingMessage]> {
      const onUnreadable = (error: unknown) =>
        log.error({ err: error }, 'the record of a message that waits for its decryption could not be read; it was skipped')
      for await (const { key, value } of records.list(store, prefix, { onUnreadable }))
        yield [key.slice(prefix.length) as Mark, value]
    },
    async removeAll(marks: readonly Mark[], onRemoved: (mark: Mark) => void) {
      for (let from = 0; from < marks.length; from += REMOVED_AT_ONCE) {
        const some = marks.slice(from, from + REMOVED_AT_ONCE)
        await store.commit({ ops: some.map(remove) })
        some.forEach(onRemoved)
      }
    },
    clear: () => removeAll(store, prefix),
  }
}
