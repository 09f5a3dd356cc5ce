import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { MainRecords, Memory, StoredRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { linkRecords, type StoredLink } from './records.ts'

export interface StoredLinksDeps {
  main: Pick<MainRecords, 'load' | 'change'>
  sealer: Sealer
  log: Log
  /** Called when another service has removed a link. */
  onRemoved(id: string): void
}

export interface StoredLinks {
  load(isKept: (link: StoredLink) => Promise<boolean>): Promise<void>
  all(): StoredLink[]
  ofInstance(instance: string): StoredLink[]
  get(id: string): StoredLink | undefined
  withHash(hash: string): StoredLink | undefined
  /** Returns a link. Throws `not_found` if the workspace has no such link. */
  find(workspace: WorkspaceId, id: string): StoredLink
  /**
   * Writes and removes links, first on disk and then in memory. `decide` is called again after a change by another
   * service.
   */
  change(decide: () => LinkChange): Promise<void>
}

export interface LinkChange {
  written?: readonly StoredLink[]
  removed?: readonly StoredLink[]
}

export function createStoredLinks({ main, sealer, log, onRemoved }: StoredLinksDeps): StoredLinks {
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

  const change: StoredLinks['change'] = (decide) =>
    main.change(() => {
      const { written = [], removed = [] } = decide()
      const removals = removed.map(({ id }) => records.remove(keys.connectLink(id)))
      return { ops: [...written.map((link) => records.encode(keys.connectLink(link.id), link)), ...removals] }
    })

  const memory: Memory = {
    put: (key, bytes) => hold(records.decode(key, bytes)),
    remove(key, isOwn) {
      const link = links.get(key.slice(keys.connectLinks.length))
      if (!link) return
      forget(link)
      if (!isOwn) onRemoved(link.id)
    },
  }

  function readable([key, bytes]: StoredRecords[number]): StoredLink[] {
    try {
      return [records.decode(key, bytes)]
    } catch (err) {
      log.error({ err }, 'a stored connect link could not be read, so nobody can use it')
      return []
    }
  }

  return {
    async load(isKept) {
      await main.load('connectLinks', memory, (found) => {
        const inOrder = found.flatMap(readable).sort((one, other) => one.createdAt - other.createdAt)
        inOrder.forEach(hold)
      })
      const ended = new Set<string>()
      for (const link of [...links.values()]) if (!(await isKept(link))) ended.add(link.id)
      await change(() => ({ removed: [...links.values()].filter(({ id }) => ended.has(id)) }))
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
