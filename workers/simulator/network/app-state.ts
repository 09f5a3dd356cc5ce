import type { Person } from './model.ts'

/** One collection of an account's settings. The server sees versions and ciphertext; the phone's own account of it is beside. */
export interface Collection {
  version: number
  /** Encoded `SyncdPatch`es with their version filled in; the first is version 1. */
  patches: Buffer[]
  /** LTHash over the current values, and each index' value MAC: what the phone needs to write patches of its own. */
  hash: Buffer
  valueMacs: Map<string, Buffer>
}

export interface AppState {
  keyId: Buffer | undefined
  keyData: Buffer | undefined
  collections: Map<string, Collection>
  /** What the phone read: index as JSON text to the action. */
  actions: Map<string, unknown>
}

export function createAppState(): AppState {
  return { keyId: undefined, keyData: undefined, collections: new Map(), actions: new Map() }
}

export function collectionOf(person: Person, name: string): Collection {
  const known = person.appState.collections.get(name)
  if (known) return known
  const fresh = { version: 0, patches: [], hash: Buffer.alloc(128), valueMacs: new Map() }
  person.appState.collections.set(name, fresh)
  return fresh
}
