/**
 * Keeps the waiting items of a queue in memory, in the order of their records on disk. Each change is reported to
 * `holds.ts`, which chooses the next item.
 */
import type { DurableLine } from '../../durable-line/durable-line.ts'
import type { Waiting } from '../item.ts'
import type { Holds } from './holds.ts'

export interface QueueLine {
  /** Waiting items in the order of their ids. The item in flight and items that are being removed are not included. */
  readonly rows: readonly Waiting[]
  load(): Promise<string | undefined>
  add(item: Waiting): void
  take(item: Waiting): void
  back(item: Waiting): void
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
