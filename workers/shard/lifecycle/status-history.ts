/**
 * The last hundred status changes with their reasons, in one record. Status changes are processed one after another, so
 * the record is read and rewritten without a lock.
 */
import * as v from 'valibot'
import { iso } from '../../../src/domain/clock.ts'
import type { StatusChange } from '../../../src/domain/dashboard.ts'
import { type RuntimeState, STATUS_REASONS, STATUSES, type Status } from '../../../src/domain/instance.ts'
import { sentence } from '../../../src/domain/sentences.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { RecordError, repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'

const MAX_CHANGES = 100

const HistorySchema = v.object({
  changes: v.array(
    v.object({
      at: v.number(),
      from: v.nullable(v.picklist(STATUSES)),
      to: v.picklist(STATUSES),
      reason: v.nullable(v.picklist(STATUS_REASONS)),
      bannedUntil: v.nullable(v.number()),
    }),
  ),
})

export interface StatusHistory {
  /** Returns the operations for the commit of a status change. `from` is null for the first change. */
  ops(from: Status | null, to: RuntimeState, at: number): Promise<Op[]>
  /** Returns the changes, newest first. */
  list(): Promise<StatusChange[]>
}

export function createStatusHistory({
  id: instance,
  store,
  sealer,
  log,
}: Context<'id' | 'store' | 'sealer' | 'log'>): StatusHistory {
  const records = repository({ name: 'status history', schema: HistorySchema, version: 1, sealed: sealer })
  const key = keys.statusHistory(instance)

  /** An unreadable history is replaced by an empty one, because it must not block a status change. */
  const read = async () => {
    try {
      return (await records.get(store, key))?.changes ?? []
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      log.error({ err: error }, 'the stored status history could not be decoded')
      return []
    }
  }

  return {
    async ops(from, { status, reason, bannedUntil }, at) {
      const before = await read()
      const changes = [...before, { at, from, to: status, reason, bannedUntil }].slice(-MAX_CHANGES)
      return [records.encode(key, { changes })]
    },
    async list() {
      const changes = await read()
      return changes
        .map(({ at, from, to, reason, bannedUntil }) => ({
          at: iso(at),
          from,
          to,
          reason,
          text: sentence({ status: to, reason, bannedUntil }),
        }))
        .reverse()
    },
  }
}
