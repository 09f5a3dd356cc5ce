/** Keeps all apps in memory, and stores each change. Changes of one app run one after the other. */
import type { Log } from '../domain/log.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import type { LatestUses } from '../storage/latest-uses.ts'
import type { MainRecords, Memory } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import { createHeldApps } from './held-apps.ts'
import type { StoredApp } from './records.ts'

export interface StoredAppsDeps {
  main: Pick<MainRecords, 'load' | 'change'>
  store: Pick<StateStore, 'get'>
  uses: LatestUses
  records: Repository<StoredApp>
  log: Log
}

export function createStoredApps({ main, store, uses, records, log }: StoredAppsDeps) {
  const held = createHeldApps()
  const mutex = createKeyedMutex()
  /** Ids of the apps that this service is adding. */
  const adding = new Set<string>()

  const removal = (id: string): Op[] => [records.remove(keys.oauthApp(id)), uses.removal(id)]
  const remove = (id: string): Promise<void> => main.change(() => ({ ops: removal(id) }))

  /**
   * Returns the app with its latest use: the time in its record or in the separate note, whichever is later. The record
   * has the later time if the note could not be written.
   */
  function withLatestUse(app: StoredApp): StoredApp {
    const at = uses.of(app.id)?.at ?? null
    return { ...app, lastUsedAt: app.lastUsedAt !== null && at !== null ? Math.max(app.lastUsedAt, at) : (at ?? app.lastUsedAt) }
  }

  const memory: Memory = {
    put(key, bytes, isOwn) {
      const app = records.decode(key, bytes)
      // The app was revoked together with its instance or workspace while this change was being stored.
      if (isOwn && held.get(app.id) === undefined && !adding.has(app.id)) return
      held.hold(withLatestUse(app))
    },
    remove(key) {
      const app = held.get(key.slice(keys.oauthApps.length))
      if (app === undefined) return
      held.forget(app)
      uses.forget(app.id)
    },
  }

  /** Removes apps that have ended. `now` is in epoch ms. */
  async function removeEnded(now: number): Promise<void> {
    const ended = new Set<string>()
    for (const { id, refreshUntil, instance } of held.all())
      if (refreshUntil < now || (await store.get(keys.config(instance))) === undefined) ended.add(id)
    await main.change(() => ({ ops: held.all().flatMap(({ id }) => (ended.has(id) ? removal(id) : [])) }))
  }

  return {
    held,
    removal,

    async load(now: number): Promise<void> {
      await uses.read()
      await main.load('oauthApps', memory, (found) => {
        const apps = found.map(([key, bytes]) => records.decode(key, bytes))
        for (const app of apps.sort((one, other) => one.createdAt - other.createdAt)) held.hold(withLatestUse(app))
      })
      // A failure does no harm: nobody can use ended apps, and the next start tries again.
      await removeEnded(now).catch((err: unknown) => log.error({ err }, 'ended OAuth apps could not be removed'))
      await uses
        .removeOthers((id) => held.get(id) !== undefined)
        .catch((err: unknown) => log.error({ err }, 'notes about the last use of ended OAuth apps could not be removed'))
    },

    /** Adds an app. `work` must make the commit that contains the operation. */
    async add<T>(app: StoredApp, work: (op: Op) => Promise<T>): Promise<T> {
      adding.add(app.id)
      try {
        return await work(records.encode(keys.oauthApp(app.id), app))
      } finally {
        adding.delete(app.id)
      }
    },

    end: (id: string): Promise<void> => mutex.run(id, () => remove(id)),

    /**
     * `decide` returns the changed app, or undefined to revoke it. It may be called again, so it must have no effects.
     */
    change: (id: string, decide: (app: StoredApp) => StoredApp | undefined): Promise<void> =>
      mutex.run(id, async () => {
        let isWritten = false
        await main.change(() => {
          const app = held.get(id)
          const next = app && decide(app)
          isWritten = next !== undefined
          if (app === undefined) return { ops: [] }
          return { ops: next ? [records.encode(keys.oauthApp(id), next)] : removal(id) }
        })
        if (isWritten && held.get(id) === undefined) await remove(id)
      }),

    writeUse: (id: string): Promise<void> =>
      mutex.run(`use ${id}`, async () => {
        if (held.get(id)) await uses.write(id)
        // If the app was revoked during the write, its use must not stay.
        if (held.get(id) === undefined) await uses.remove(id)
      }),

    async readUses(): Promise<void> {
      await uses.read()
      for (const app of held.all()) held.hold(withLatestUse(app))
    },

    idle: () => mutex.idle(),
  }
}
