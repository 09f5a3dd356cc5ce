/**
 * Marks the instances that a process is creating or deleting. Without the mark, another process that starts on the
 * same store would take their data for leftovers. A mark counts only while its process may still write.
 */
import type { Op, StateStore } from './contract.ts'
import { keys } from './record-keys.ts'
import type { OpenParts } from './store-backend.ts'

export interface Unfinished {
  /** Must be committed before the first data of a new instance, or together with the end of its configuration. */
  begun(instance: string): Op[]
  ended(instance: string): Op[]
  /** Whether another process is creating or deleting the instance. If not, no other process will change it later. */
  isOfOther(instance: string): Promise<boolean>
  /** All marks, also those of processes that have ended. */
  instances(): Promise<string[]>
}

export type UnfinishedDeps = Pick<StateStore, 'get' | 'range'> & Pick<OpenParts, 'ownerId' | 'mayWrite'>

export function unfinishedIn({ get, range, ownerId, mayWrite }: UnfinishedDeps): Unfinished {
  return {
    // Only one process can use a store without such an id.
    begun: (instance) => (ownerId === undefined ? [] : [[keys.unfinished(instance), Buffer.from(ownerId)]]),
    ended: (instance) => (ownerId === undefined ? [] : [[keys.unfinished(instance), null]]),
    async isOfOther(instance) {
      const mark = await get(keys.unfinished(instance))
      return mark !== undefined && (await mayWrite?.(Buffer.from(mark).toString())) === true
    },
    async instances() {
      const found: string[] = []
      for await (const [key] of range(keys.allUnfinished)) found.push(key.slice(keys.allUnfinished.length))
      return found
    },
  }
}
