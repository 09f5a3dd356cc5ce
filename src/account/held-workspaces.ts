/** The records of workspaces. All are in memory, and each change is also stored. */
import { Failure } from '../domain/failures.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import type { Decision } from './account.ts'
import type { StoredWorkspace } from './records.ts'

type Changed<N> = Omit<Decision, 'next'> & { next?: N }

export function createHeldWorkspaces(main: Pick<MainRecords, 'change'>, records: Repository<StoredWorkspace>) {
  /** Workspaces by the keys of their records. */
  const workspaces = new Map<string, StoredWorkspace>()

  function get(id: string): StoredWorkspace {
    const found = workspaces.get(keys.workspace(id))
    if (!found) throw new Failure('internal', { message: `There is no workspace ${id}.` })
    return found
  }

  const all = () => [...workspaces.values()]

  return {
    get,
    all,
    put: (key: string, bytes: Uint8Array) => void workspaces.set(key, records.decode(key, bytes)),
    remove: (key: string) => void workspaces.delete(key),

    /** Adds the first workspace. Has no effect if there already is a workspace. */
    addFirst: (record: StoredWorkspace): Promise<void> =>
      main.change(
        () => ({ ops: all().length > 0 ? [] : [records.encode(keys.workspace(record.id), record)] }),
        keys.workspace(record.id),
      ),

    /** Changes a workspace. Changes nothing if `decide` returns undefined. */
    change<N extends object>(
      id: string,
      decide: (current: StoredWorkspace) => Changed<N> | undefined | Promise<Changed<N>>,
    ): Promise<void> {
      const key = keys.workspace(id)
      return main.change(async () => {
        const current = get(id)
        const decision = await decide(current)
        if (decision === undefined) return { ops: [] }
        const { next, ops, committed } = decision
        return { ops: [records.encode(key, { ...current, ...next }), ...ops], committed }
      }, key)
    },
  }
}

export type HeldWorkspaces = ReturnType<typeof createHeldWorkspaces>
