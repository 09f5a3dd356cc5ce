/**
 * API keys and imported client tokens. All are kept in memory, and each change is also stored. Changes of one workspace
 * run one after the other.
 */
import { randomUUID } from 'node:crypto'
import { API_KEY_PREFIX } from '../domain/brand.ts'
import type { Clock } from '../domain/clock.ts'
import { lookOf } from '../domain/display-text.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { LatestUses } from '../storage/latest-uses.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import type { Account, ApiKey } from './account.ts'
import { hashOf, newApiKey } from './credentials.ts'
import { checkLastOperateKey } from './guards.ts'
import { createKeyUses } from './key-uses.ts'
import { createKnownKeys } from './known-keys.ts'
import type { StoredKey } from './records.ts'

export interface ApiKeysDeps {
  uses: LatestUses
  isShared: boolean
  records: Repository<StoredKey>
  clock: Clock
  log: Log
  transact: Account['transact']
  inTurn(workspace: string, work: () => Promise<void>): Promise<void>
}

/** Name of the imported token: existing integrations send its value in `Client-Token`. */
const IMPORTED_NAME = 'Client-Token (migrado)'
const IMPORTED_SCOPES = ['instances:operate'] as const

const operates = ({ scopes }: Pick<ApiKey, 'scopes'>) => scopes.includes('instances:operate')

type Wish = Pick<StoredKey, 'name' | 'scopes' | 'hint' | 'kind' | 'hash'>

type ApiKeysPart = Pick<
  Account,
  | 'findApiKey'
  | 'apiKey'
  | 'findClientToken'
  | 'used'
  | 'readUses'
  | 'createApiKey'
  | 'listApiKeys'
  | 'updateApiKey'
  | 'revokeApiKey'
  | 'onKeyChange'
  | 'importClientToken'
  | 'operateKeys'
>

export interface ApiKeys extends ApiKeysPart {
  put(recordKey: string, bytes: Uint8Array): void
  remove(recordKey: string): void
  isThere(id: string): boolean
}

export function createApiKeys({ uses, isShared, records, clock, log, transact, inTurn }: ApiKeysDeps): ApiKeys {
  const known = createKnownKeys()
  const { remember, forget, find, ofWorkspace } = known
  const keyUses = createKeyUses({ known, uses, isShared, clock, log, inTurn })

  const listeners: (() => void)[] = []
  const tellChange = () => {
    for (const listener of listeners) listener()
  }

  const othersThatOperate = (key: StoredKey) =>
    ofWorkspace(key.workspace).filter((other) => other.id !== key.id && operates(other)).length

  /**
   * True if another key has a name that looks alike. People find the key to revoke by its name, so such names are
   * refused.
   */
  const isTaken = (workspace: string, name: string, except?: string) =>
    ofWorkspace(workspace).some((other) => lookOf(other.name) === lookOf(name) && other.id !== except)

  async function insert(workspace: WorkspaceId, wish: Wish, check: () => void): Promise<StoredKey> {
    const key: StoredKey = { ...wish, id: randomUUID(), workspace, createdAt: clock.now(), lastUsedAt: null, lastUsedIp: null }
    await transact(workspace, () => {
      check()
      return { ops: [records.encode(keys.apiKey(workspace, key.id), key)] }
    })
    return key
  }

  return {
    put(recordKey, bytes) {
      const stored = records.decode(recordKey, bytes)
      const before = known.get(stored.id)
      remember(keyUses.withLatest(stored))
      if (before !== undefined && (before.name !== stored.name || before.scopes.join() !== stored.scopes.join())) tellChange()
    },
    remove(recordKey) {
      const key = known.get(recordKey.slice(recordKey.lastIndexOf(':') + 1))
      if (key === undefined) return
      forget(key)
      uses.forget(key.id)
      tellChange()
    },
    isThere: (id) => known.get(id) !== undefined,
    findApiKey: known.findApiKey,
    apiKey: known.apiKey,
    findClientToken: known.findClientToken,
    listApiKeys: known.listApiKeys,
    used: keyUses.used,
    readUses: keyUses.read,

    async createApiKey(workspace, { name, scopes }) {
      const value = newApiKey()
      const hint = `${API_KEY_PREFIX}…${value.slice(-4)}`
      const key = await insert(workspace, { name, scopes, hint, kind: 'api_key', hash: hashOf(value) }, () => {
        if (isTaken(workspace, name)) throw nameTaken()
      })
      return { key, value }
    },

    importClientToken: (workspace, value) =>
      insert(
        workspace,
        {
          name: IMPORTED_NAME,
          scopes: IMPORTED_SCOPES,
          hint: `…${value.slice(-4)}`,
          kind: 'client_token',
          hash: hashOf(value),
        },
        () => {
          if (known.hasImported(workspace))
            throw new Failure('not_allowed', { message: 'The workspace has an imported client token; revoke it first.' })
          if (isTaken(workspace, IMPORTED_NAME))
            throw new Failure('not_allowed', {
              message: `An API key is already named "${IMPORTED_NAME}"; rename it first.`,
            })
        },
      ),

    async updateApiKey(workspace, id, { name, scopes }) {
      await transact(workspace, ({ security }) => {
        const key = find(workspace, id)
        const next = { ...key, name: name ?? key.name, scopes: scopes ?? key.scopes }
        // The name is checked only if it changes. Older keys may have names that look alike, and their other fields
        // must stay changeable.
        if (next.name !== key.name && isTaken(workspace, next.name, id)) throw nameTaken()
        if (key.kind === 'client_token' && (next.scopes.length !== 1 || !operates(next)))
          throw Failure.invalid({
            path: 'scopes',
            message: 'must contain only instances:operate, because this key is an imported client token',
          })
        if (operates(key) && !operates(next)) checkLastOperateKey(security, othersThatOperate(key))
        return {
          ops: [records.encode(keys.apiKey(workspace, id), next)],
        }
      })
      return find(workspace, id)
    },

    async revokeApiKey(workspace, id) {
      await transact(workspace, ({ security }) => {
        const key = find(workspace, id)
        if (operates(key)) checkLastOperateKey(security, othersThatOperate(key))
        return { ops: [records.remove(keys.apiKey(workspace, id)), uses.removal(id)] }
      })
    },

    onKeyChange: (listener) => void listeners.push(listener),

    operateKeys: (workspace) => ofWorkspace(workspace).filter(operates).length,
  }
}

const nameTaken = () => Failure.invalid({ path: 'name', message: 'is the name of another API key, or looks the same as one' })
