/** Keeps all apps in memory, and stores each change. Changes of one app run one after the other. */
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Batch, StateStore } from '../storage/contract.ts'
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

  /** Resolves with false if the batch's condition is not met. */
  async function write(app: StoredApp, batch: Batch = { ops: [] }): Promise<boolean> {
    const ops = [...batch.ops, records.encode(keys.oauthApp(app.id), app)]
    if (!(await store.commit({ ...batch, ops }))) return false
    // The app may have been revoked together with its instance, in another commit.
    if (held.get(app.id)) held.hold(app)
    else await store.commit({ ops: [removal(app.id)] })
    return true
  }

  /** The app may belong to another process, so its record is removed even if it is not held. */
  async function remove(id: string): Promise<void> {
    await store.commit({ ops: [removal(id)] })
    const app = held.get(id)
    if (app) held.forget(app)
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

    /** The app becomes part of the batch. Resolves with false if the batch's condition is not met. */
    async add(app: StoredApp, batch: Batch): Promise<boolean> {
      // It is held before the commit, so that a deletion of its instance in the meantime includes it.
      held.hold(app)
      let isStored = false
      try {
        isStored = await mutex.run(app.id, () => write(app, batch))
        return isStored
      } finally {
        if (!isStored) held.forget(app)
      }
    },

    end: (id: string): Promise<void> => mutex.run(id, () => remove(id)),

    change: (id: string, decide: (app: StoredApp) => Promise<unknown>): Promise<void> =>
      mutex.run(id, async () => {
        const app = held.get(id)
        if (app) await decide(app)
      }),

    idle: () => mutex.idle(),
  }
}
