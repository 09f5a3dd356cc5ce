/** Keeps all apps in memory, and stores each change. Changes of one app run one after the other. */
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import { createHeldApps } from './held-apps.ts'
import type { StoredApp } from './records.ts'

export interface StoredAppsDeps {
  store: Pick<StateStore, 'commit' | 'range' | 'get'>
  records: Repository<StoredApp>
}

export function createStoredApps({ store, records }: StoredAppsDeps) {
  const held = createHeldApps()
  const mutex = createKeyedMutex()

  const removal = (id: string) => records.remove(keys.oauthApp(id))

  async function write(app: StoredApp): Promise<void> {
    await store.commit({ ops: [records.encode(keys.oauthApp(app.id), app)] })
    // The app may have been revoked together with its instance, in another commit.
    if (held.get(app.id)) held.hold(app)
    else await store.commit({ ops: [removal(app.id)] })
  }

  async function remove(app: StoredApp): Promise<void> {
    await store.commit({ ops: [removal(app.id)] })
    held.forget(app)
  }

  return {
    held,
    removal,
    write,
    remove,

    /** `now` is in epoch ms. */
    async load(now: number): Promise<void> {
      const found: StoredApp[] = []
      for await (const { value } of records.list(store, keys.oauthApps)) found.push(value)
      for (const app of found.sort((a, b) => a.createdAt - b.createdAt)) {
        const isOver = app.refreshUntil < now || (await store.get(keys.config(app.instance))) === undefined
        if (isOver) await store.commit({ ops: [removal(app.id)] })
        else held.hold(app)
      }
    },

    async add(app: StoredApp): Promise<void> {
      held.hold(app)
      try {
        await mutex.run(app.id, () => write(app))
      } catch (error) {
        held.forget(app)
        throw error
      }
    },

    change: (id: string, decide: (app: StoredApp) => Promise<void>): Promise<void> =>
      mutex.run(id, async () => {
        const app = held.get(id)
        if (app) await decide(app)
      }),

    idle: () => mutex.idle(),
  }
}
