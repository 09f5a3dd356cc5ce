/**
 * Records of a store that only this machine can use. Besides the service, operator commands change records of
 * workspaces, and a commit must not overwrite such a change.
 */
import { Failure } from '../../domain/failures.ts'
import type { StateStore } from '../contract.ts'
import { idsUnder } from '../ids-under.ts'
import { keys } from '../record-keys.ts'
import { FAMILIES } from './families.ts'
import type { MainRecords } from './main-records.ts'
import { createMemories } from './memories.ts'

/** Maximum number of attempts for a change. Commands are rare, so three conflicts in a row are improbable. */
const ATTEMPTS = 3

const isOfCommands = (key: string) => key.startsWith(keys.workspaces) && key.endsWith(':self')

export function ownRecords(store: StateStore): MainRecords {
  const memories = createMemories()
  /** Stored bytes of the records that commands may change. */
  const known = new Map<string, Uint8Array>()

  function pass(key: string, value: Uint8Array | null, isOwn: boolean) {
    if (isOfCommands(key) && value !== null) known.set(key, value)
    memories.pass(key, value, isOwn)
  }

  async function reload(key: string): Promise<void> {
    const before = known.get(key)
    const bytes = await store.get(key)
    // If this process changed the record in the meantime, the record in memory is newer and is kept.
    if (!bytes || known.get(key) !== before) return
    if (before === undefined || Buffer.compare(before, bytes) !== 0) pass(key, bytes, false)
  }

  async function attempt(decide: Parameters<MainRecords['change']>[0], key: string | undefined): Promise<boolean> {
    if (key !== undefined) await reload(key)
    // The decision may take several turns, in which a command's change can arrive. So the commit requires the bytes
    // that the record had before the decision.
    const guard = key === undefined ? {} : { guard: { key, equals: known.get(key) ?? null } }
    const { ops, committed } = await decide()
    if (ops.length === 0) return true
    if (!(await store.commit({ ...guard, ops }))) return false
    for (const [changed, value] of ops) pass(changed, value, true)
    committed?.()
    return true
  }

  return {
    isShared: false,
    async load(family, memory, fill) {
      const found: [string, Uint8Array][] = []
      for await (const [key, bytes] of store.range(FAMILIES[family].prefix)) {
        found.push([key, bytes])
        if (isOfCommands(key)) known.set(key, bytes)
      }
      memories.add(family, memory)
      fill(found)
    },
    async change(decide, besideCommands) {
      for (let tries = 1; tries <= ATTEMPTS; tries++) if (await attempt(decide, besideCommands)) return
      throw new Failure('internal', { message: 'Other requests are changing the workspace; try again.' })
    },
    catchUp: async () => {},
    async refresh() {
      for (const id of await idsUnder(store, keys.workspaces)) await reload(keys.workspace(id))
    },
    follow: () => () => {},
    // There is nothing to wait for, because a store of this machine waits for its commits when it closes.
    idle: async () => {},
  }
}
