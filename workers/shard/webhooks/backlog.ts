/** Counts the undelivered events of an instance: reads their number from disk at the start, then follows each change. */
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { ERASE } from '../../../src/webhooks/log.ts'

export function createBacklog(instanceId: string, store: Pick<StateStore, 'range' | 'count'>) {
  let size = 0
  return {
    async load(): Promise<void> {
      let found = await store.count(keys.outbox(instanceId))
      for await (const [, action] of store.range(keys.dues(instanceId))) if (Buffer.compare(action, ERASE) !== 0) found++
      size = found
    },
    changed(by: 1 | -1): void {
      size += by
    },
    size: () => size,
  }
}
export type Backlog = ReturnType<typeof createBacklog>
