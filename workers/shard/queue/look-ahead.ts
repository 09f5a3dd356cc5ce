/**
 * Prepares the media of the item behind the one in flight, while the network decides about the one before. Nothing is
 * recorded, because nothing has been promised: a removed item, a lost connection and a stop discard what was prepared,
 * and the item's own turn prepares it again.
 */
import type { Logger } from 'pino'
import type { QueueOptions } from './contract.ts'
import type { Waiting } from './item.ts'
import type { ItemStore } from './item-store.ts'

export interface LookAhead {
  /** This item is sent next. */
  towards(next: Waiting | undefined): void
  /** The item is being sent: the sender takes the prepared media, and no preparation of it begins after this call. */
  turnOf(svcId: string): void
  /** These items will not be sent. */
  gone(items: readonly Waiting[]): void
  discard(): void
}

export interface LookAheadDeps extends Pick<QueueOptions, 'instanceId' | 'ahead'> {
  items: Pick<ItemStore, 'load'>
  log: Pick<Logger, 'warn'>
}

export function createLookAhead({ instanceId, ahead, items, log }: LookAheadDeps): LookAhead {
  /** The item that is being read or prepared, or is ready. */
  let current: string | undefined

  async function begin(svcId: string) {
    const item = await items.load(svcId)
    if (current === svcId && item) ahead?.begin(item)
  }

  function giveUp(svcId: string) {
    current = undefined
    ahead?.discard(svcId)
  }

  return {
    towards(next) {
      if (!ahead || !next || next.svcId === current || !ahead.wants(next.operation)) return
      if (current !== undefined) giveUp(current)
      current = next.svcId
      begin(next.svcId).catch((error: unknown) => {
        log.warn(
          { instance_id: instanceId, svc_id: next.svcId, err: error },
          'queue: the next item could not be read ahead of its turn; it is read again when its turn comes',
        )
      })
    },
    turnOf(svcId) {
      if (current === svcId) current = undefined
    },
    gone(items) {
      for (const { svcId } of items) if (svcId === current) giveUp(svcId)
    },
    discard() {
      current = undefined
      ahead?.discard()
    },
  }
}
