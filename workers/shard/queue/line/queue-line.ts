/**
 * The waiting items of a queue. They are stored on disk (`durable-line.ts`), and all of them are in memory as well. Each item that begins or stops
 * waiting is reported to `holds.ts`, which chooses the next item.
 */
import type { DurableLine } from '../../durable-line/durable-line.ts'
import type { Waiting } from '../item.ts'
import type { Holds } from './holds.ts'

export interface QueueLine {
  /**
   * All waiting items, in the order of their ids. Items that were taken are not included: the item in flight, and the items that are being removed.
   */
  readonly rows: readonly Waiting[]
  /** Reads the items from the disk. Resolves with the newest id; undefined if there is none. */
  load(): Promise<string | undefined>
  /** Adds a new item that is on disk. */
  add(item: Waiting): void
  take(item: Waiting): void
  /** Adds an item again that was taken and not ended. */
  back(item: Waiting): void
  /** Reports that the commit which ends a taken item is done. */
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
