/**
 * The mark of the item in flight: its service id, and how many lives of the thread ended while it was in flight. Such a try may be what
 * ended the thread, with all its instances, so the mark counts each before it begins, and takes it off again when it has come back.
 */
import type { Op, StateStore } from '../../../src/storage/contract.ts'

/** One end may be an item's doing; after three in a row it is not tried again. */
const MAX_TRIES = 3
/** How often it may come back for want of a connection that stands: a loss that is noticed before it is told is over after the first. */
const MAX_BACKS = 3

interface Mark {
  svcId: string
  /** The one under way not included. */
  tries: number
}

export interface InFlight {
  load(): Promise<void>
  /** Durable when it resolves. `spent`: it has had its tries. */
  begin(svcId: string): Promise<'first' | 'again' | 'spent'>
  /**
   * For a commit after which a new item begins at once: that commit names it, and `begin` has nothing left to write. `written` after it.
   * Undefined: it has been in flight before, and `begin` looks at its tries.
   */
  next(svcId: string): { op: Op; written(): void } | undefined
  /** The item that was named so and has not begun. */
  readonly named: string | undefined
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

export function createInFlight(store: StateStore, key: string): InFlight {
  let begun: Mark | undefined
  let named: string | undefined
  let backs = 0

  const opOf = ({ svcId, tries }: Mark): Op => [key, Buffer.from(`${svcId}:${tries}`)]
  const put = (mark: Mark) => store.commit({ ops: [opOf(mark)] })

  return {
    async load() {
      const mark = await store.get(key)
      // Marks of before have no count: the try they were written for is the first.
      const [svcId = '', tries = '1'] = Buffer.from(mark ?? [])
        .toString()
        .split(':')
      begun = mark && { svcId, tries: Number(tries) }
    },
    async begin(svcId) {
      const isNamed = named === svcId
      named = undefined
      if (isNamed) {
        backs = 0
        return 'first'
      }
      const before = begun?.svcId === svcId ? begun : undefined
      const tries = before?.tries ?? 0
      if (tries >= MAX_TRIES) return 'spent'
      if (!before) backs = 0
      await put({ svcId, tries: tries + 1 })
      begun = { svcId, tries }
      return before ? 'again' : 'first'
    },
    next(svcId) {
      if (begun?.svcId === svcId) return undefined
      return {
        op: opOf({ svcId, tries: 1 }),
        written() {
          begun = { svcId, tries: 0 }
          named = svcId
        },
      }
    },
    get named() {
      return named
    },
    async unname() {
      if (named === undefined) return
      named = undefined
      begun = undefined
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
      if (begun) await put(begun)
    },
    async withdraw() {
      await store.commit({ ops: [[key, null]] })
      begun = undefined
    },
    endOp: [key, null],
    ended() {
      begun = undefined
    },
    get svcId() {
      return begun?.svcId
    },
  }
}
