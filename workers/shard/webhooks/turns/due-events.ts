/** Finds the event outside of the queue that is due first, for its next attempt or for the erasure of its body. */
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
  settled(): Promise<void>
}

export function createDueEvents({ instanceId, store, settled }: DueEventsOptions) {
  /** The event that is due first. Undefined if it must be read from disk. */
  let known: { first: Due | null } | undefined

  async function lookUp(): Promise<Due | null> {
    known = { first: await read() }
    return known.first
  }

  async function read(): Promise<Due | null> {
    await settled()
    const prefix = keys.dues(instanceId)
    for await (const [key, bytes] of store.range(prefix, { limit: 1 })) {
      const [at = '', id = ''] = key.slice(prefix.length).split(':')
      return { id, key, bytes, at: Number(at) }
    }
    return null
  }

  return {
    /** Returns the event that is due first; null if there is none. The object is the same until `forget` is called. */
    first: (): Due | null | Promise<Due | null> => (known === undefined ? lookUp() : known.first),
    forget(): void {
      known = undefined
    },
    /**
     * Must be called when the body of an ended event is kept. The erasure of this body is later than the other due
     * times, so it comes first only if there is no other due event.
     */
    keptToTheEnd(): void {
      if (known?.first === null) known = undefined
    },
  }
}
export type DueEvents = ReturnType<typeof createDueEvents>
