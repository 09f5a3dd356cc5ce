/** Prepares the media of the next item while another item is in flight. */
import type { Logger } from 'pino'
import type { QueueOptions } from './contract.ts'
import type { Waiting } from './item.ts'
import type { ItemStore } from './item-store.ts'

export interface LookAhead {
  towards(next: Waiting | undefined): void
  /** Must be called when the sending of the item begins. If the preparation has not begun by then, it is skipped. */
  turnOf(svcId: string): void
  gone(items: readonly Waiting[]): void
  discard(): void
}

export interface LookAheadDeps extends Pick<QueueOptions, 'instanceId' | 'ahead'> {
  items: Pick<ItemStore, 'load'>
  log: Pick<Logger, 'warn'>
}

export function createLookAhead({ instanceId, ahead, items, log }: LookAheadDeps): LookAhead {
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
