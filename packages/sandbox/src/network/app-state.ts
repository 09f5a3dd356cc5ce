import type { AppState, Collection } from './app-state-model.ts'
import type { Person } from './model.ts'

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
