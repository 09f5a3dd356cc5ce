/**
 * Keeps the in-flight record: the service id of the item in flight, and the number of thread runs that ended while it
 * was in flight. Such an item may have ended the thread with all its instances, so each attempt is counted before it
 * begins, and the count is decremented when the attempt returns.
 */
import type { Op, StateStore } from '../../../src/storage/contract.ts'

/** Number of ended thread runs in a row after which an item is not attempted again, because it may have caused them. */
const MAX_TRIES = 3
/** Number of times that an item may come back without a connection although one is reported; a real loss is reported after the first time. */
const MAX_BACKS = 3

interface Mark {
  svcId: string
  /** Number of attempts, without the current one. */
  tries: number
  /** An earlier commit recorded the item, but it has not begun. */
  isNamed: boolean
}

export interface Naming {
  svcId: string
  op: Op
  written(): void
}

export interface AttemptCounter {
  load(): Promise<void>
  /** Counts the attempt, durably when it resolves. `spent` means that the item has used all its attempts. */
  begin(svcId: string): Promise<'first' | 'again' | 'spent'>
  /**
   * Returns the record for a commit after which a new item begins immediately: that commit records the item, and
   * `begin` need not write anything. Call `written` after the commit. Undefined if the item was in flight before;
   * `begin` then checks its attempts.
   */
  next(svcId: string): Naming | undefined
  /** True if the item was recorded this way and has not begun. */
  readonly isNamed: boolean
  /** Removes the record of an item that does not begin now. */
  unname(): Promise<void>
  /** Whether an item that came back although the connection is open may do so; false if that happened too often. */
  mayComeBack(): boolean
  /** The connection is a new one. */
  reconnected(): void
  /** Removes the last attempt from the count. */
  uncount(): Promise<void>
  /** Removes the record, because nothing of the item was sent: its next attempt is the first. */
  withdraw(): Promise<void>
  /** Operation for the commit that ends the item; call `ended` after it. */
  readonly endOp: Op
  ended(): void
  /** The item that is in flight, or was when the process or the connection ended. */
  readonly svcId: string | undefined
}

export function createAttemptCounter(store: StateStore, key: string): AttemptCounter {
  let mark: Mark | undefined
  let backs = 0

  const opOf = ({ svcId, tries }: Pick<Mark, 'svcId' | 'tries'>): Op => [key, Buffer.from(`${svcId}:${tries}`)]
  const put = (next: Pick<Mark, 'svcId' | 'tries'>) => store.commit({ ops: [opOf(next)] })

  return {
    async load() {
      const stored = await store.get(key)
      // Older records have no count; their attempt is the first.
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
      mark = undefined
      await store.commit({ ops: [[key, null]] })
    },
    mayComeBack() {
      backs++
      return backs <= MAX_BACKS
    },
    reconnected() {
      backs = 0
    },
    async uncount() {
      if (mark) await put(mark)
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
