import { type StoredWorkspace, workspaceRecords } from '../account/records.ts'
import { changeBesideService } from '../storage/main-records/beside-service.ts'
import { keys } from '../storage/record-keys.ts'
import { NO_WORKSPACE, type Stored } from './stored.ts'

export interface FoundWorkspace {
  record: StoredWorkspace
  /** Stored bytes of the record. A change fails if other bytes are stored by then. */
  bytes: Uint8Array
}

export async function allWorkspaces({ store, sealer }: Stored): Promise<FoundWorkspace[]> {
  const records = workspaceRecords(sealer)
  const found: FoundWorkspace[] = []
  for await (const [key, bytes] of store.range(keys.workspaces)) {
    if (key.endsWith(':self')) found.push({ bytes, record: records.decode(key, bytes) })
  }
  return found.sort((a, b) => a.record.createdAt - b.record.createdAt)
}

export async function findWorkspace(stored: Stored, id: string | undefined): Promise<FoundWorkspace> {
  const all = await allWorkspaces(stored)
  if (all.length === 0) throw new Error(NO_WORKSPACE)
  const found = id === undefined ? all[0] : all.find(({ record }) => record.id === id)
  if (found === undefined) throw new Error(`There is no workspace ${id}.`)
  return found
}

export const replaceWorkspace = (stored: Stored, { record, bytes }: FoundWorkspace, change: Partial<StoredWorkspace>) =>
  writeWorkspace(stored, { ...record, ...change }, bytes)

export async function writeWorkspace(
  { store, sealer }: Stored,
  record: StoredWorkspace,
  before: Uint8Array | null,
): Promise<void> {
  const key = keys.workspace(record.id)
  const isWritten = await changeBesideService(store, { key, before }, [workspaceRecords(sealer).encode(key, record)])
  if (!isWritten) throw new Error('The workspace was changed at the same time; try again.')
}
