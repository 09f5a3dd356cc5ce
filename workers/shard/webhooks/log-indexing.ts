/**
 * Enters the rows of a log from before there was an index, a slice at a time, beside the deliveries. Until it is through, the log is read
 * without the index.
 */
import type { Logger } from 'pino'
import { type Clock, MINUTE } from '../../../src/domain/clock.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { LogRow } from '../../../src/webhooks/log.ts'
import { indexOps } from '../../../src/webhooks/log-index.ts'

/** Rows entered per turn: the store asks for room for the most that a commit can need (`lmdb-room.ts`). */
const SLICE = 100
/** After a failure of storage: deliveries do not wait for it. */
const AGAIN_AFTER = MINUTE
const MARK = Buffer.from('1')

export interface LogIndexingOptions {
  instanceId: string
  store: Pick<StateStore, 'get' | 'range' | 'commit'>
  rows: { decode(key: string, bytes: Uint8Array): LogRow }
  steady: Clock
  log: Pick<Logger, 'error'>
}

export function logIndexing({ instanceId, store, rows, steady, log }: LogIndexingOptions) {
  const prefix = keys.log(instanceId)
  const mark = keys.logIsIndexed(instanceId)
  /** `new`: there is no row yet, and each will be entered as it is written. */
  let state: 'new' | 'old' | 'indexed' = 'old'
  let passed: string | undefined
  let notBefore = 0

  function entry(key: string, bytes: Uint8Array): Op[] {
    try {
      return indexOps(instanceId, key.slice(prefix.length), undefined, rows.decode(key, bytes))
    } catch (error) {
      log.error({ instance_id: instanceId, err: error }, 'a stored webhook log row could not be decoded')
      return []
    }
  }

  return {
    async load(): Promise<void> {
      if ((await store.get(mark)) !== undefined) state = 'indexed'
      else state = (await isEmpty()) ? 'new' : 'old'
    },

    /** For the commit of a row. */
    ops: (): Op[] => (state === 'new' ? [[mark, MARK]] : []),
    /** Such a commit is on disk. */
    committed(): void {
      if (state === 'new') state = 'indexed'
    },

    /** One slice of the rows that are not entered. Between two attempts: no row may change meanwhile. True: there are more. */
    async run(): Promise<boolean> {
      if (state !== 'old' || steady.now() < notBefore) return false
      try {
        return await enter()
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        log.error({ instance_id: instanceId, err: error }, 'webhook log rows could not be added to the index')
        notBefore = steady.now() + AGAIN_AFTER
        return false
      }
    },
  }

  async function enter(): Promise<boolean> {
    const ops: Op[] = []
    let seen = 0
    let last = passed
    for await (const [key, bytes] of store.range(prefix, {
      limit: SLICE,
      ...(passed === undefined ? {} : { after: passed }),
    })) {
      seen++
      last = key
      ops.push(...entry(key, bytes))
    }
    const isLast = seen < SLICE
    await store.commit({ ops: isLast ? [...ops, [mark, MARK]] : ops })
    passed = last
    if (isLast) state = 'indexed'
    return !isLast
  }

  async function isEmpty(): Promise<boolean> {
    for await (const _ of store.range(prefix, { limit: 1 })) return false
    return true
  }
}
