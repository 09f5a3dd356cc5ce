/**
 * Keeps the groups and communities of the account. A notice about members contains the versions of the member list
 * before and after the change. So a repeated notice counts once, and a lost notice is detected: the group is read
 * again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as v from 'valibot'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import { createTable, type Table } from '../directory/table.ts'
import { createWriteBehind } from '../directory/write-behind.ts'
import type { GroupChange } from '../wire/group-notice.ts'
import type { Group } from '../wire/groups.ts'
import { bare } from '../wire/jid.ts'
import { FACETS } from './facets.ts'
import { entryChangeIn, entryOf, GroupEntry, namedEntry } from './group-entry.ts'

const SLICE = 200

const ListRecord = v.object({ readAt: v.number() })

export interface GroupList {
  ready(): Promise<void>
  /** Epoch ms at which the list was read in full; null if never for this account. */
  readonly readAt: number | null
  stale(): string[]
  list(): GroupEntry[]
  find(jid: string): GroupEntry | undefined

  /**
   * Must be called before the list is queried. If a group changes before the answer arrives, the answer does not
   * overwrite the change.
   */
  begin(): Reading
  learn(group: Group): void
  noticed(group: string, changes: readonly GroupChange[], isMe: (jid: string) => boolean): Promise<void>
  changed(jids: readonly string[]): void
  joined(jid: string): void
  left(jid: string): void

  flush(): Promise<void>
  forget(): Promise<void>
}

export interface Reading {
  /**
   * Replaces the list: groups that are not in the answer are removed. `named`: groups of which the answer contains only
   * the id. `each` is called with the groups that have not changed since the query began. The list is on disk when the
   * promise resolves.
   */
  whole(groups: readonly Group[], named: readonly string[], at: number, each?: (group: Group) => void): Promise<void>
  /**
   * Updates only these groups, and removes those in `gone`, of which the account is not a member. The changes are on
   * disk when this resolves.
   */
  some(groups: readonly Group[], gone: readonly string[]): Promise<void>
  end(): void
}

export function createGroupList(context: Context<'id' | 'store' | 'sealer' | 'log'>): GroupList {
  const { id: instance, store, sealer } = context
  const table = createTable<GroupEntry>(context, {
    name: 'group',
    schema: GroupEntry,
    parts: 1_024,
    max: FACETS.entry.groups,
    jidsOf: ({ id }) => [id],
    usedAt: ({ createdAt }) => createdAt,
  })
  const { flush, flushBehind, idle } = createWriteBehind(context, [table], 'the list of groups could not be written to disk')
  const lists = repository({ name: 'list of groups', schema: ListRecord, version: 1, sealed: sealer })
  const listKey = keys.groupList(instance)
  const entries = groupEntries(table)
  /** The groups that have changed since a query began, one set per running query. */
  const readings = new Set<Set<string>>()
  let readAt: number | null = null
  let loading: Promise<void> | null = null

  async function load() {
    await table.load()
    readAt = (await lists.get(store, listKey))?.readAt ?? null
  }

  const touch = (jid: string) => {
    for (const touched of readings) touched.add(jid)
  }

  function doubt(jids: readonly string[], isNews: boolean) {
    for (const jid of jids) {
      touch(jid)
      entries.doubt(jid, isNews)
    }
    flushBehind()
  }

  return {
    ready() {
      loading ??= load().catch((error) => {
        loading = null
        throw error
      })
      return loading
    },
    get readAt() {
      return readAt
    },
    stale: () => [...table.values()].flatMap(({ id, isStale }) => (isStale ? [id] : [])),
    list: () => [...table.values()],
    find: (jid) => table.find([bare(jid)]),

    begin() {
      const touched = new Set<string>()
      readings.add(touched)
      const end = () => void readings.delete(touched)
      return {
        end,
        async whole(groups, named, at, each) {
          await entries.take(groups, touched, each)
          for (const jid of named) entries.doubt(jid, true)
          const listed = new Set([...groups.map(({ id }) => id), ...named])
          for (const { id } of [...table.values()]) if (!listed.has(id) && !touched.has(id)) entries.drop(id)
          end()
          readAt = at
          await flush()
          await store.commit({ ops: [lists.encode(listKey, { readAt: at })] })
        },
        async some(groups, gone) {
          await entries.take(groups, touched)
          for (const jid of gone) if (!touched.has(jid)) entries.drop(jid)
          end()
          await flush()
        },
      }
    },

    learn(group) {
      touch(group.id)
      entries.put(group)
      flushBehind()
    },

    async noticed(group, changes, isMe) {
      for (const each of changes) {
        const change = entryChangeIn(each, group, isMe)
        if (!change) continue
        touch(group)
        if (change.type === 'known') entries.put(change.group)
        else if (change.type === 'gone') entries.gone(group)
        else if (change.type === 'stale') for (const jid of change.jids) entries.doubt(jid, change.isNews)
        else entries.amend(group, change.amend)
      }
      await flush()
    },

    changed(jids) {
      const among = new Set(jids)
      const inside = [...table.values()].filter(({ parent }) => parent !== null && among.has(parent))
      doubt([...jids, ...inside.map(({ id }) => id)], false)
    },
    joined: (jid) => doubt([jid], true),
    left(jid) {
      touch(jid)
      entries.gone(jid)
      flushBehind()
    },

    flush,
    async forget() {
      table.clear()
      readings.clear()
      readAt = null
      await idle()
      await removeAll(store, keys.directoryOf(instance, 'group'))
      await store.commit({ ops: [[listKey, null]] })
    },
  }
}

function groupEntries(table: Table<GroupEntry>) {
  function amend(jid: string, change: (entry: GroupEntry) => void) {
    const known = table.find([jid])
    if (!known) return
    change(known)
    table.changed(known)
  }

  function put(group: Group) {
    if (table.find([group.id])) amend(group.id, (entry) => Object.assign(entry, entryOf(group)))
    else table.add(entryOf(group))
  }

  function drop(jid: string) {
    const known = table.find([jid])
    if (known) table.remove(known)
  }

  function doubt(jid: string, isNews: boolean) {
    if (isNews && !table.find([jid])) table.add(namedEntry(jid))
    else
      amend(jid, (entry) => {
        entry.isStale = true
      })
  }

  return {
    amend,
    put,
    drop,
    doubt,
    /** Removes a group. If it was a community, its groups may still exist, so they must be read again. */
    gone(jid: string) {
      drop(jid)
      for (const { id, parent } of [...table.values()]) if (parent === jid) doubt(id, false)
    },
    /**
     * Stores the groups of an answer. A group that has changed since the query began (`touched`) is only marked as
     * stale, because the change is newer than the answer.
     */
    async take(groups: readonly Group[], touched: ReadonlySet<string>, each?: (group: Group) => void) {
      for (const [index, group] of groups.entries()) {
        if (index > 0 && index % SLICE === 0) await nextTurn()
        if (touched.has(group.id)) {
          doubt(group.id, false)
          continue
        }
        put(group)
        each?.(group)
      }
    },
  }
}
