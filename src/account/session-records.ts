/**
 * Stores the sessions of the dashboard, so that nobody has to sign in again after a restart, or when a standby takes
 * over.
 */
import * as v from 'valibot'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { DashboardSession } from './account.ts'

export interface HeldSession {
  session: DashboardSession
  /** Tag of the admin key that opened the session; null if an API key opened it. */
  adminTag: string | null
  proofHash: string
}

const SessionRecord = v.object({
  session: v.object({
    id: v.string(),
    workspace: v.pipe(
      v.string(),
      v.transform((id) => id as WorkspaceId),
    ),
    keyId: v.nullable(v.string()),
    createdAt: v.number(),
    lastUsedAt: v.number(),
    address: v.string(),
    userAgent: v.nullable(v.string()),
  }),
  adminTag: v.nullable(v.string()),
  proofHash: v.string(),
})

/** The hash is that of the cookie's value, which is stored nowhere. */
export interface KeptSessions {
  load(): Promise<[hash: string, held: HeldSession][]>
  /** The write is not awaited: if it is lost, somebody has to sign in again. */
  put(hash: string, held: HeldSession): void
  /** The promise is awaited when somebody signs out, because the session must not come back. */
  remove(hash: string): Promise<void>
}

export function keepSessions({
  store,
  sealer,
  log,
}: {
  store: Pick<StateStore, 'commit' | 'range'>
  sealer: Sealer
  log: Log
}): KeptSessions {
  const records = repository<HeldSession>({
    name: 'dashboard session',
    schema: SessionRecord as v.GenericSchema<unknown, HeldSession>,
    version: 1,
    sealed: sealer,
  })
  const failed = (err: unknown) => log.error({ err }, 'a session of the dashboard could not be stored')

  async function write(hash: string, held: HeldSession): Promise<void> {
    await store.commit({ ops: [records.encode(keys.dashboardSession(hash), held)] })
  }

  return {
    async load() {
      const found: [string, HeldSession][] = []
      const onUnreadable = (err: unknown) => log.error({ err }, 'a session of the dashboard could not be read')
      for await (const { key, value } of records.list(store, keys.dashboardSessions, { onUnreadable }))
        found.push([key.slice(keys.dashboardSessions.length), value])
      return found.sort(([, a], [, b]) => a.session.createdAt - b.session.createdAt)
    },
    put(hash, held) {
      // The commit begins in this turn. Otherwise a removal in the same turn would come first, and the session would
      // stay stored.
      write(hash, held).catch(failed)
    },
    async remove(hash) {
      await store.commit({ ops: [records.remove(keys.dashboardSession(hash))] })
    },
  }
}
