import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { linkRecords, type StoredLink } from './records.ts'

export interface StoredLinksDeps {
  store: Pick<StateStore, 'commit' | 'range'>
  sealer: Sealer
  log: Log
}

export interface StoredLinks {
  load(isKept: (link: StoredLink) => Promise<boolean>): Promise<void>
  all(): StoredLink[]
  ofInstance(instance: string): StoredLink[]
  get(id: string): StoredLink | undefined
  withHash(hash: string): StoredLink | undefined
  /** Throws `not_found`. */
  find(workspace: WorkspaceId, id: string): StoredLink
  /** Writes and removes links, first on disk and then in memory. */
  change(links: { written?: readonly StoredLink[]; removed?: readonly StoredLink[] }): Promise<void>
}

export function createStoredLinks({ store, sealer, log }: StoredLinksDeps): StoredLinks {
  const records = linkRecords(sealer)
  const links = new Map<string, StoredLink>()
  const byHash = new Map<string, string>()

  const hold = (link: StoredLink) => {
    links.set(link.id, link)
    byHash.set(link.hash, link.id)
  }
  const forget = ({ id, hash }: StoredLink) => {
    links.delete(id)
    byHash.delete(hash)
  }

  const change: StoredLinks['change'] = async ({ written = [], removed = [] }) => {
    if (written.length + removed.length === 0) return
    const removals = removed.map(({ id }) => records.remove(keys.connectLink(id)))
    await store.commit({ ops: [...written.map((link) => records.encode(keys.connectLink(link.id), link)), ...removals] })
    removed.forEach(forget)
    written.forEach(hold)
  }

  return {
    async load(isKept) {
      const found: StoredLink[] = []
      const onUnreadable = (err: unknown) => log.error({ err }, 'a stored connect link could not be read, so nobody can use it')
      for await (const { value } of records.list(store, keys.connectLinks, { onUnreadable })) found.push(value)
      const removed: StoredLink[] = []
      for (const link of found.sort((one, other) => one.createdAt - other.createdAt)) {
        if (await isKept(link)) hold(link)
        else removed.push(link)
      }
      await change({ removed })
    },
    all: () => [...links.values()],
    ofInstance: (instance) => [...links.values()].filter((link) => link.instance === instance),
    get: (id) => links.get(id),
    withHash: (hash) => links.get(byHash.get(hash) ?? ''),
    find(workspace, id) {
      const link = links.get(id)
      if (link?.workspace !== workspace) throw new Failure('not_found', { message: 'No connect link has this id.' })
      return link
    },
    change,
  }
}
