/** The waiting items of a queue: their rows are those of a durable line that is wholly in memory, and holds decide which of them is the next one. */
import type { DurableLine } from '../../durable-line/durable-line.ts'
import type { Waiting } from '../item.ts'
import type { Holds } from './holds.ts'

export interface QueueLine {
  /** All waiting items, in the order of their ids. The item in flight and those that are being removed are taken. */
  readonly rows: readonly Waiting[]
  /** Reads the items from the disk. Resolves with the newest id; undefined if there is none. */
  load(): Promise<string | undefined>
  /** A new item is on disk. */
  add(item: Waiting): void
  take(item: Waiting): void
  /** A taken item waits again. */
  back(item: Waiting): void
  /** The end of a taken item is committed. */
  ended(svcId: string): void
}

export function createQueueLine(durable: DurableLine<Waiting>, holds: Pick<Holds, 'add' | 'remove'>): QueueLine {
  return {
    get rows() {
      return durable.rows
    },
    async load() {
      await durable.all()
      durable.rows.forEach(holds.add)
      return durable.newest()
    },
    add(item) {
      durable.coming(item)
      durable.committed(item.svcId)
      holds.add(item)
    },
    take(item) {
      durable.take(item.svcId)
      holds.remove(item)
    },
    back(item) {
      durable.back(item)
      holds.add(item)
    },
    ended: durable.ended,
  }
}
