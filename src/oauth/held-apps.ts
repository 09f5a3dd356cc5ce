import { isSameHash } from '../account/credentials.ts'
import type { StoredApp } from './records.ts'
import { familyOf, hashOf } from './tokens.ts'

export interface HeldApps {
  hold(app: StoredApp): void
  forget(app: StoredApp): void
  get(id: string): StoredApp | undefined
  all(): StoredApp[]
  ofRefresh(token: string): StoredApp | undefined
  ofAccess(token: string): StoredApp | undefined
}

export function createHeldApps(): HeldApps {
  const apps = new Map<string, StoredApp>()
  const byAccess = new Map<string, string>()
  const byFamily = new Map<string, string>()

  return {
    hold(app) {
      const before = apps.get(app.id)
      if (before?.accessHash) byAccess.delete(before.accessHash)
      if (app.accessHash) byAccess.set(app.accessHash, app.id)
      byFamily.set(app.familyHash, app.id)
      apps.set(app.id, app)
    },
    forget({ id, accessHash, familyHash }) {
      apps.delete(id)
      if (accessHash) byAccess.delete(accessHash)
      byFamily.delete(familyHash)
    },
    get: (id) => apps.get(id),
    all: () => [...apps.values()],
    ofRefresh(token) {
      const family = familyOf(token)
      if (family === undefined) return undefined
      const hash = hashOf(family)
      const app = apps.get(byFamily.get(hash) ?? '')
      return app && isSameHash(app.familyHash, hash) ? app : undefined
    },
    ofAccess(token) {
      const hash = hashOf(token)
      const app = apps.get(byAccess.get(hash) ?? '')
      return app?.accessHash && isSameHash(app.accessHash, hash) ? app : undefined
    },
  }
}
