/**
 * Stores the sessions of the dashboard, so that nobody has to sign in again after a restart, or when a standby takes
 * over.
 */
import * as v from 'valibot'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { StateStore } from '../storage/contract.ts'
import type { MainRecords, StoredRecords } from '../storage/main-records/main-records.ts'
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

/** Stores sessions, each by the hash of its cookie's value. The value itself is stored nowhere. */
export interface KeptSessions {
  /**
   * Passes the stored sessions to the memory, the oldest first. From then on, it also passes the changes of other
   * services.
   */
  load(memory: SessionMemory): Promise<void>
  /**
   * Stores a session. Never rejects: if the write is lost, the only effect is that somebody has to sign in again.
   * `current` is called when the write begins, and returns undefined if the session has ended by then.
   */
  put(hash: string, current: () => HeldSession | undefined): Promise<void>
  /** Removes the record of a session. The sign-out awaits the promise, because the session must not come back. */
  remove(hash: string): Promise<void>
}

export interface SessionMemory {
  put(hash: string, held: HeldSession): void
  /** Called instead of `put` if another service has changed the session. */
  changed(hash: string, held: HeldSession): void
  remove(hash: string): void
}

const sessionRecords = (sealed: Sealer) =>
  repository<HeldSession>({
    name: 'dashboard session',
    schema: SessionRecord as v.GenericSchema<unknown, HeldSession>,
    version: 1,
    sealed,
  })

/**
 * Removes the stored sessions at the start of a service without a dashboard, except those that another service on the
 * store may still use. A later start removes these.
 */
export async function removeSessions(
  { store, main, sealer }: { store: Pick<StateStore, 'range'>; main: Pick<MainRecords, 'change' | 'isShared'>; sealer: Sealer },
  isOver: (session: DashboardSession) => boolean,
): Promise<void> {
  const records = sessionRecords(sealer)
  const isKept = (key: string, bytes: Uint8Array) => {
    try {
      return main.isShared && !isOver(records.decode(key, bytes).session)
    } catch {
      return false
    }
  }
  const removed: string[] = []
  for await (const [key, bytes] of store.range(keys.dashboardSessions)) if (!isKept(key, bytes)) removed.push(key)
  await main.change(() => ({ ops: removed.map(records.remove) }))
}

export function keepSessions({
  main,
  sealer,
  log,
}: {
  main: Pick<MainRecords, 'load' | 'change'>
  sealer: Sealer
  log: Log
}): KeptSessions {
  const records = sessionRecords(sealer)
  const failed = (err: unknown) => log.error({ err }, 'a session of the dashboard could not be stored')

  const hashIn = (key: string) => key.slice(keys.dashboardSessions.length)

  function readable([key, bytes]: StoredRecords[number]): [string, HeldSession][] {
    try {
      return [[hashIn(key), records.decode(key, bytes)]]
    } catch (err) {
      log.error({ err }, 'a session of the dashboard could not be read')
      return []
    }
  }

  return {
    load: (memory) =>
      main.load(
        'dashboardSessions',
        {
          put(key, bytes, isOwn) {
            if (!isOwn) memory.changed(hashIn(key), records.decode(key, bytes))
          },
          remove: (key) => memory.remove(hashIn(key)),
        },
        (stored) => {
          const found = stored.flatMap(readable).sort(([, one], [, other]) => one.session.createdAt - other.session.createdAt)
          for (const [hash, held] of found) memory.put(hash, held)
        },
      ),
    put: (hash, current) =>
      main
        .change(() => {
          const held = current()
          return { ops: held ? [records.encode(keys.dashboardSession(hash), held)] : [] }
        })
        .catch(failed),
    remove: (hash) => main.change(() => ({ ops: [records.remove(keys.dashboardSession(hash))] })),
  }
}
