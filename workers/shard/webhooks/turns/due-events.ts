/** Finds the parked event whose time comes first: the time of its next attempt, or of the erasure of its body. */
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
  /** The first due event as read from disk; undefined if it must be read. */
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
    /** Returns the first due event; null if there is none. The same object is returned until something changes. */
    async first(): Promise<Due | null> {
      known ??= { first: await lookUp() }
      return known.first
    },
    forget(): void {
      known = undefined
    },
    /** Called when the body of an ended event was stored until its erasure, which is later than every other due time. */
    keptToTheEnd(): void {
      if (known?.first === null) known = undefined
    },
  }
}
export type DueEvents = ReturnType<typeof createDueEvents>
