import type { QueueOptions } from './contract.ts'
import type { Drain } from './drain.ts'
import type { Waiting } from './item.ts'
import type { ItemStore } from './item-store.ts'
import type { Later } from './line/later.ts'
import type { QueueLine } from './line/queue-line.ts'
import type { LookAhead } from './look-ahead.ts'

export interface RemovalDeps extends Pick<QueueOptions, 'store' | 'announce'> {
  items: Pick<ItemStore, 'itemKey' | 'forget'>
  line: Pick<QueueLine, 'take' | 'back' | 'ended'>
  later: Pick<Later, 'gone'>
  lookAhead: Pick<LookAhead, 'gone'>
  drain: Pick<Drain, 'pump'>
}

export interface Removal {
  takeOut(gone: readonly Waiting[]): void
  remove(gone: readonly Waiting[]): Promise<number>
}

export function createRemoval({ store, announce, items, line, later, lookAhead, drain }: RemovalDeps): Removal {
  function takeOut(gone: readonly Waiting[]) {
    later.gone(gone)
    lookAhead.gone(gone)
    for (const item of gone) line.take(item)
    drain.pump()
  }

  async function remove(gone: readonly Waiting[]): Promise<number> {
    if (gone.length === 0) return 0
    takeOut(gone)
    try {
      await store.commit({ ops: gone.map(({ svcId }) => [items.itemKey(svcId), null] as const) })
    } catch (error) {
      for (const item of gone) line.back(item)
      drain.pump()
      throw error
    }
    for (const { svcId } of gone) {
      line.ended(svcId)
      announce(svcId, { status: 'removed' })
    }
    await items.forget(gone)
    return gone.length
  }

  return { takeOut, remove }
}
