/**
 * The in-flight record: the service id of the item in flight, and how many thread runs ended while it was in flight. Such a try may be what
 * ended the thread, with all its instances, so each try is counted before it begins, and the count is taken back when the try returns.
 */
import type { Op, StateStore } from '../../../src/storage/contract.ts'

/** One end may be an item's doing; after three in a row it is not tried again. */
const MAX_TRIES = 3
/** How often an item may come back without a connection while one is reported: a real loss is reported after the first time. */
const MAX_BACKS = 3

interface Mark {
  svcId: string
  /** The one under way not included. */
  tries: number
  /** By an earlier commit, and not begun. */
  isNamed: boolean
}

export interface Naming {
  svcId: string
  op: Op
  written(): void
}

export interface AttemptCounter {
  load(): Promise<void>
  /** Durable when it resolves. `spent`: it has had its tries. */
  begin(svcId: string): Promise<'first' | 'again' | 'spent'>
  /**
   * For a commit after which a new item begins at once: that commit names the item, and `begin` has nothing left to write. Call `written`
   * after it. Undefined: the item has been in flight before, and `begin` checks its tries.
   */
  next(svcId: string): Naming | undefined
  /** The item was named so, and has not begun. */
  readonly isNamed: boolean
  /** It does not begin now: taken off again. */
  unname(): Promise<void>
  /** It came back although the connection stands; false: too often. */
  mayComeBack(): boolean
  /** The connection is another one. */
  reconnected(): void
  /** The try that was begun last is none that counts. */
  uncount(): Promise<void>
  /** Nothing of it has left: its next try is its first. */
  withdraw(): Promise<void>
  /** For the commit that ends the item; `ended` after it. */
  readonly endOp: Op
  ended(): void
  /** The item that is in flight, or was when the process or the connection went. */
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
      // Older records have no count: the try they were written for is the first.
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
