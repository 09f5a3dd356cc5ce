import { Failure } from '../domain/failures.ts'
import type { Account } from './account.ts'
import { hashOf, isSameHash } from './credentials.ts'
import type { StoredKey } from './records.ts'

export interface KnownKeys extends Pick<Account, 'findApiKey' | 'apiKey' | 'findClientToken' | 'listApiKeys'> {
  remember(key: StoredKey): void
  forget(key: StoredKey): void
  get(id: string): StoredKey | undefined
  all(): StoredKey[]
  /** Returns the key with this id. Throws `not_found` if the workspace has none. */
  find(workspace: string, id: string): StoredKey
  ofWorkspace(workspace: string): StoredKey[]
  hasImported(workspace: string): boolean
}

export function createKnownKeys(): KnownKeys {
  const byId = new Map<string, StoredKey>()
  /** Keys by hash. Their values are random, so every hash is unique. */
  const byHash = new Map<string, StoredKey>()
  /** Imported tokens by workspace. People chose their values, so two workspaces may have the same value. */
  const imported = new Map<string, StoredKey>()

  const ofWorkspace = (workspace: string) => [...byId.values()].filter((key) => key.workspace === workspace)

  function apiKey(workspace: string, id: string) {
    const key = byId.get(id)
    return key?.workspace === workspace ? key : undefined
  }

  return {
    remember(key) {
      byId.set(key.id, key)
      if (key.kind === 'client_token') imported.set(key.workspace, key)
      else byHash.set(key.hash, key)
    },
    forget(key) {
      byId.delete(key.id)
      if (key.kind === 'client_token') {
        // Another token of the workspace may already have replaced this one.
        if (imported.get(key.workspace)?.id === key.id) imported.delete(key.workspace)
      } else byHash.delete(key.hash)
    },
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    find(workspace, id) {
      const key = apiKey(workspace, id)
      if (!key) throw new Failure('not_found', { message: 'No API key has this id.' })
      return key
    },
    ofWorkspace,
    hasImported: (workspace) => imported.has(workspace),
    findApiKey(value) {
      const hash = hashOf(value)
      const key = byHash.get(hash)
      return key && isSameHash(key.hash, hash) ? key : undefined
    },
    apiKey,
    findClientToken(workspace, value) {
      const key = imported.get(workspace)
      return key && isSameHash(key.hash, hashOf(value)) ? key : undefined
    },
    listApiKeys: (workspace) =>
      ofWorkspace(workspace)
        .sort((one, other) => one.createdAt - other.createdAt)
        .reverse(),
  }
}
