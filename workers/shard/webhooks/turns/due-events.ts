/** Finds the parked event that is due first: for its next attempt, or for the erasure of its body. */
import type { StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'

export interface Due {
  id: string
  key: string
  bytes: Uint8Array
  at: number
}

export interface DueEventsOptions {
  instanceId: string
  store: Pick<StateStore, 'range'>
  /** Resolves when the events that have ended are removed from the disk. */
  settled(): Promise<void>
}

export function createDueEvents({ instanceId, store, settled }: DueEventsOptions) {
  /** The first due event; undefined if it must be read from disk. */
  let known: { first: Due | null } | undefined

  async function lookUp(): Promise<Due | null> {
    await settled()
    const prefix = keys.dues(instanceId)
    for await (const [key, bytes] of store.range(prefix, { limit: 1 })) {
      const [at = '', id = ''] = key.slice(prefix.length).split(':')
      return { id, key, bytes, at: Number(at) }
    }
    return null
  }

  return {
    /** Returns the first due event; null if there is none. The same object is returned as long as nothing has changed. */
    async first(): Promise<Due | null> {
      known ??= { first: await lookUp() }
      return known.first
    },
    forget(): void {
      known = undefined
    },
    /** Called when a body was parked and its erasure is due later than everything else. */
    keptToTheEnd(): void {
      if (known?.first === null) known = undefined
    },
  }
}
export type DueEvents = ReturnType<typeof createDueEvents>
