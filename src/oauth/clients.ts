/** Clients that may ask for access: registered ones, and those whose id is the URL of their metadata document. */
import { randomUUID } from 'node:crypto'
import { type Clock, HOUR } from '../domain/clock.ts'
import { isUuid } from '../lib/is-uuid.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import type { OauthClient } from './oauth.ts'
import type { StoredClient } from './records.ts'

/**
 * Maximum number of registered clients without an app in the memory of one service, so that registrations cannot fill
 * the disk.
 */
const MAX_IDLE = 1_000
const IDLE = 30 * 24 * HOUR

export interface ClientsDeps {
  store: Pick<StateStore, 'commit' | 'range' | 'get'>
  records: Repository<StoredClient>
  clock: Clock
  /** True if other services use the same store. */
  isShared: boolean
  /** Reads the document of a client. Resolves with undefined if it is missing or unusable. */
  readDocument(url: string): Promise<OauthClient | undefined>
  isUsed(clientId: string): boolean
}

export function createClients({ store, records, clock, isShared, readDocument, isUsed }: ClientsDeps) {
  const registered = new Map<string, StoredClient>()

  function toForget(): StoredClient[] {
    const idle = [...registered.values()].filter(({ id }) => !isUsed(id))
    const tooMany = Math.max(0, idle.length + 1 - MAX_IDLE)
    return idle.filter(({ createdAt }, at) => at < tooMany || createdAt < clock.now() - IDLE)
  }

  /** Reads a client from the store, because another service may have registered it. */
  async function read(id: string): Promise<StoredClient | undefined> {
    const client = await records.get(store, keys.oauthClient(id))
    if (client) registered.set(id, client)
    return client
  }

  return {
    async load() {
      const found: StoredClient[] = []
      for await (const { value } of records.list(store, keys.oauthClients)) found.push(value)
      for (const client of found.sort((a, b) => a.createdAt - b.createdAt)) registered.set(client.id, client)
    },

    async register({ name, redirectUris }: { name: string; redirectUris: readonly string[] }): Promise<OauthClient> {
      const client: StoredClient = { id: randomUUID(), name, redirectUris: [...redirectUris], createdAt: clock.now() }
      const gone = toForget()
      const key = ({ id }: StoredClient) => keys.oauthClient(id)
      await store.commit({ ops: [records.encode(key(client), client), ...gone.map((each) => records.remove(key(each)))] })
      for (const { id } of gone) registered.delete(id)
      registered.set(client.id, client)
      return client
    },

    knows: (id: string): boolean => registered.has(id) || isUsed(id),

    async find(id: string): Promise<OauthClient | undefined> {
      const known = registered.get(id) ?? (isShared && isUuid(id) ? await read(id) : undefined)
      return known ?? (id.includes(':') ? readDocument(id) : undefined)
    },
  }
}
