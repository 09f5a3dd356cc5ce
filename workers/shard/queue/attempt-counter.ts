/**
 * Records which item is in flight. The item may have crashed the thread with all its instances, so each attempt is
 * counted before it begins.
 */
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { QueueOptions } from './contract.ts'

/**
 * After this number of attempts that an end of the thread interrupted, the item fails, because it may have crashed the
 * thread.
 */
const MAX_TRIES = 3
const MAX_BACKS = 3

interface Mark {
  svcId: string
  tries: number
  /** Whether the item is recorded as in flight, but its attempt has not begun. */
  isNamed: boolean
}

export interface Naming {
  svcId: string
  op: Op
  written(): void
}

export interface AttemptCounter {
  load(): Promise<void>
  /**
   * Counts an attempt that begins now; the count is on disk when this resolves. Returns `again` if an earlier attempt
   * had no outcome, and `spent` if the item has used all its attempts, so that it must fail.
   */
  begin(svcId: string): Promise<'first' | 'again' | 'spent'>
  /**
   * Returns the operation that records this item as in flight, for a commit that is made anyway; undefined if the item
   * is already recorded. Call `written` after this commit.
   */
  next(svcId: string): Naming | undefined
  readonly isNamed: boolean
  /**
   * Removes the in-flight record of an item whose attempt has not begun. Never rejects: if the storage fails, one
   * attempt too many is counted.
   */
  unname(): Promise<void>
  /**
   * Counts an attempt that found no connection although the connection is reported as open. Returns false if the item
   * must fail.
   */
  mayComeBack(): boolean
  reconnected(): void
  /**
   * Takes back the count of the last attempt, because the item did not cause the end of this attempt. Never rejects.
   */
  uncount(): Promise<void>
  withdraw(): Promise<void>
  /**
   * Operation that removes the in-flight record, for the commit that ends the item. Call `ended` after this commit.
   */
  readonly endOp: Op
  ended(): void
  readonly svcId: string | undefined
}

export function createAttemptCounter({
  instanceId,
  store,
  log,
}: Pick<QueueOptions, 'instanceId' | 'store' | 'log'>): AttemptCounter {
  const key = keys.queueInFlight(instanceId)
  let mark: Mark | undefined
  let backs = 0

  const opOf = ({ svcId, tries }: Pick<Mark, 'svcId' | 'tries'>): Op => [key, Buffer.from(`${svcId}:${tries}`)]
  const put = (next: Pick<Mark, 'svcId' | 'tries'>) => store.commit({ ops: [opOf(next)] })

  const reset = (change: Promise<unknown>, svcId: string, counted: string) =>
    change.catch((error: unknown) => {
      log.warn(
        { instance_id: instanceId, svc_id: svcId, err: error },
        `queue: the attempt counter of an item could not be reset; it counts one attempt that ${counted}`,
      )
    })

  return {
    async load() {
      const stored = await store.get(key)
      // Older records have no count, so they count as one attempt.
      const [svcId = '', tries = '1'] = Buffer.from(stored ?? [])
        .toString()
        .split(':')
      mark = stored && { svcId, tries: Number(tries), isNamed: false }
    },
    async begin(svcId) {
      const before = mark?.svcId === svcId ? mark : undefined
      if (before?.isNamed) {
        before.isNamed = false
        backs = 0
        return 'first'
      }
      const tries = before?.tries ?? 0
      if (tries >= MAX_TRIES) return 'spent'
      if (!before) backs = 0
      await put({ svcId, tries: tries + 1 })
      mark = { svcId, tries, isNamed: false }
      return before ? 'again' : 'first'
    },
    next(svcId) {
      if (mark?.svcId === svcId) return undefined
      return {
        svcId,
        op: opOf({ svcId, tries: 1 }),
        written() {
          mark = { svcId, tries: 0, isNamed: true }
        },
      }
    },
    get isNamed() {
      return mark?.isNamed === true
    },
    async unname() {
      if (!mark?.isNamed) return
      const { svcId } = mark
      mark = undefined
      await reset(store.commit({ ops: [[key, null]] }), svcId, 'did not begin')
    },
    mayComeBack() {
      backs++
      return backs <= MAX_BACKS
    },
    reconnected() {
      backs = 0
    },
    async uncount() {
      if (mark) await reset(put(mark), mark.svcId, 'was interrupted')
    },
    async withdraw() {
      await store.commit({ ops: [[key, null]] })
      mark = undefined
    },
    endOp: [key, null],
    ended() {
      mark = undefined
    },
    get svcId() {
      return mark?.svcId
    },
  }
}
