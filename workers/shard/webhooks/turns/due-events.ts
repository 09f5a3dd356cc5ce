/** The parked event that is due first: for its next attempt, or for the erasure of its body. */
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
  /** When it resolves, events that have ended have left the disk. */
  settled(): Promise<void>
}

export function createDueEvents({ instanceId, store, settled }: DueEventsOptions) {
  /** Undefined if it must be looked up. */
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
    /** Null if there is none. The same object as long as nothing has changed. */
    async first(): Promise<Due | null> {
      known ??= { first: await lookUp() }
      return known.first
    },
    forget(): void {
      known = undefined
    },
    /** A body was parked whose erasure is later than everything else that is due. */
    keptToTheEnd(): void {
      if (known?.first === null) known = undefined
    },
  }
}
export type DueEvents = ReturnType<typeof createDueEvents>
