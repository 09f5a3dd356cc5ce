/**
 * The records of workspaces. All are kept in memory, and each change is also stored. A commit fails if the stored
 * record differs from the one in memory, so it cannot overwrite the change of an operator command.
 */
import { Failure } from '../domain/failures.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { idsUnder } from '../storage/ids-under.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import type { Decision } from './account.ts'
import type { StoredWorkspace } from './records.ts'

/** Besides this process, only operator commands write workspaces, so three conflicts in a row do not happen. */
const ATTEMPTS = 3

interface Held {
  record: StoredWorkspace
  /** Stored bytes of the record. A commit fails if other bytes are stored. */
  bytes: Uint8Array
}

export function createHeldWorkspaces(store: StateStore, records: Repository<StoredWorkspace>) {
  const workspaces = new Map<string, Held>()

  function get(id: string): StoredWorkspace {
    const found = workspaces.get(id)
    if (!found) throw new Failure('internal', { message: `There is no workspace ${id}.` })
    return found.record
  }

  function hold(key: string, bytes: Uint8Array) {
    const record = records.decode(key, bytes)
    workspaces.set(record.id, { record, bytes })
  }

  async function write(next: StoredWorkspace, ops: readonly Op[] = []): Promise<boolean> {
    const key = keys.workspace(next.id)
    const op = records.encode(key, next)
    const done = await store.commit({ guard: { key, equals: workspaces.get(next.id)?.bytes ?? null }, ops: [op, ...ops] })
    if (done) workspaces.set(next.id, { record: next, bytes: op[1]! })
    return done
  }

  async function reload(id: string): Promise<void> {
    const key = keys.workspace(id)
    const before = workspaces.get(id)
    const bytes = await store.get(key)
    // If this process changed the workspace in the meantime, the record in memory is newer and is kept.
    if (!bytes || workspaces.get(id) !== before) return
    if (before && Buffer.compare(before.bytes, bytes) === 0) return
    hold(key, bytes)
  }

  return {
    get,
    hold,
    write,
    all: () => [...workspaces.values()].map(({ record }) => record),

    /** Must run while no other change of the workspace runs. */
    async change<N extends object>(
      id: string,
      decide: (current: StoredWorkspace) => Omit<Decision, 'next'> & { next?: N },
    ): Promise<void> {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        await reload(id)
        const current = get(id)
        const { next, ops, committed = () => {} } = decide(current)
        if (await write({ ...current, ...next }, ops)) return committed()
      }
      throw new Failure('internal', { message: 'Other requests are changing the workspace; try again.' })
    },

    async refresh(): Promise<void> {
      for (const id of await idsUnder(store, keys.workspaces)) await reload(id)
    },
  }
}

export type HeldWorkspaces = ReturnType<typeof createHeldWorkspaces>
