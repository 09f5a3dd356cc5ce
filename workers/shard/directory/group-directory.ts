/**
 * Keeps the groups and communities of the account, in the form for lists. They are read in full after the pairing and
 * when the network reports the list as outdated (`participating.ts`), changed by the network's notices, and stored.
 * Only the number of members is stored here.
 *
 * Changes of a list of members lead from one version to the next, so a notice that arrives twice counts once, and a
 * missing notice is detected. Such a group, and one that the network only named, is stale until it is read again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BinaryNode } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Group } from '../chats/group-cache.ts'
import type { Context } from '../context/instance-context.ts'
import { cut, cutOrNull } from '../wire/bounds.ts'
import { createdGroupIn, type GroupChange, groupNoticeIn, type NoticePerson, peopleIn } from '../wire/group-notice.ts'
import { bare } from '../wire/jid.ts'
import { createTable } from './table.ts'

/** The most groups in one answer of the network. */
const MAX_GROUPS = 10_000
const MAX_SUBJECT = 100
const MAX_DESCRIPTION = 2_048
/** Number of changes that are made in one turn, so that other work can run in between. */
const SLICE = 200

const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(v.boolean(), false)
const number = v.optional(v.number(), 0)

export const GroupEntry = v.object({
  id: v.string(),
  subject: v.optional(v.string(), ''),
  description: text,
  /** Community of the group. */
  parent: text,
  isCommunity: flag,
  isAnnouncement: flag,
  /** Number of members. */
  size: number,
  /** Time in epoch s. */
  createdAt: number,
  owner: text,
  ownerPn: text,
  /** Version of the list of members. */
  version: text,
  /** True if the entry may be wrong. */
  isStale: flag,
})
export type GroupEntry = v.InferOutput<typeof GroupEntry>

/** Time at which the list was read in full, in epoch ms. */
const ListRecord = v.object({ readAt: v.number() })

export interface GroupDirectory {
  /** Reads the records on disk, once. Must be called before any method below. */
  ready(): Promise<void>
  /** Time at which the list was read in full, in epoch ms; null if never for this account. */
  readonly readAt: number | null
  /** Jids of groups that must be read again. */
  stale(): string[]
  list(): GroupEntry[]
  find(jid: string): GroupEntry | undefined

  /** Begins a query of the list; changes until its answer are newer than the answer. */
  begin(): Reading
  /** Learns the metadata of one group of the account. On disk with the next `flush`. */
  learn(group: Group): void
  /** Applies a notice about a group. `isMe` tells whether a jid is the account. On disk when it resolves. */
  noticed(notice: BinaryNode, isMe: (jid: string) => boolean): Promise<void>
  /**
   * Marks groups that this service changed. Notices arrive after answers, so these groups are read again with the next
   * list; for a community, its groups too.
   */
  changed(jids: readonly string[]): void
  /** Marks a group that the account has joined in the same way. */
  joined(jid: string): void
  /** Removes a group that the account is no longer in, or a community that was deactivated. */
  left(jid: string): void

  flush(): Promise<void>
  /** Called before another account is linked, after the session has ended. */
  forget(): Promise<void>
}

export interface Reading {
  /**
   * Replaces the list: other groups are removed. `named`: groups that the answer names without metadata. `each` is called with those that did not
   * change in the meantime. On disk when it resolves.
   */
  whole(groups: readonly Group[], named: readonly string[], at: number, each?: (group: Group) => void): Promise<void>
  /** Updates some groups; `gone` are those that the account is not in. On disk when it resolves. */
  some(groups: readonly Group[], gone: readonly string[]): Promise<void>
  /** Ends a query that had no result. */
  end(): void
}

export function createGroupDirectory(context: Context<'id' | 'store' | 'sealer' | 'log'>): GroupDirectory {
  const { id: instance, store, sealer, log } = context
  const table = createTable<GroupEntry>(context, {
    name: 'group',
    schema: GroupEntry,
    parts: 1_024,
    max: MAX_GROUPS,
    jidsOf: ({ id }) => [id],
    usedAt: ({ createdAt }) => createdAt,
  })
  const lists = repository({ name: 'list of groups', schema: ListRecord, version: 1, sealed: sealer })
  const listKey = keys.groupList(instance)
  const readings = new Set<Set<string>>()
  let readAt: number | null = null
  let loading: Promise<void> | null = null
  let last: Promise<void> = Promise.resolve()

  async function write(more: readonly Op[] = []): Promise<void> {
    const ops = table.ops()
    if (ops.length + more.length === 0) return
    try {
      await store.commit({ ops: [...ops, ...more] })
    } catch (error) {
      table.notWritten(ops)
      throw error
    }
    if (!table.hasChanged) return
    await nextTurn()
    await write()
  }

  /** Writes run one after the other, because later ones are newer. */
  function flush(more?: readonly Op[]): Promise<void> {
    const written = last.catch(() => {}).then(() => write(more))
    last = written
    return written
  }

  const flushBehind = () => void flush().catch((error) => log.error({ err: error }, 'the list of groups could not be written'))

  const touch = (jid: string) => {
    for (const touched of readings) touched.add(jid)
  }

  function put(group: Group) {
    const known = table.find([group.id])
    if (!known) return table.add(entryOf(group))
    Object.assign(known, entryOf(group))
    table.changed(known)
  }

  function drop(jid: string) {
    const known = table.find([jid])
    if (known) table.remove(known)
  }

  /** Removes a group. The groups of a deactivated community may continue. */
  function gone(jid: string) {
    drop(jid)
    for (const { id, parent } of [...table.values()]) if (parent === jid) stale(id, false)
  }

  function stale(jid: string, isNews: boolean) {
    const known = table.find([jid])
    if (!known) return isNews ? table.add({ ...NOTHING, id: jid, isStale: true }) : undefined
    known.isStale = true
    table.changed(known)
  }

  function doubt(jids: readonly string[], isNews: boolean) {
    for (const jid of jids) {
      touch(jid)
      stale(jid, isNews)
    }
    flushBehind()
  }

  /**
   * Takes groups from an answer. A change that arrives while a list is on its way is newer than the list, so such a
   * group is read again.
   */
  async function take(groups: readonly Group[], touched: ReadonlySet<string>, each?: (group: Group) => void) {
    for (const [index, group] of groups.entries()) {
      if (index > 0 && index % SLICE === 0) await nextTurn()
      if (touched.has(group.id)) {
        stale(group.id, false)
        continue
      }
      put(group)
      each?.(group)
    }
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
          await take(groups, touched, each)
          for (const jid of named) stale(jid, true)
          const listed = new Set([...groups.map(({ id }) => id), ...named])
          for (const { id } of [...table.values()]) if (!listed.has(id) && !touched.has(id)) drop(id)
          end()
          readAt = at
          await flush([lists.encode(listKey, { readAt: at })])
        },
        async some(groups, gone) {
          await take(groups, touched)
          for (const jid of gone) if (!touched.has(jid)) drop(jid)
          end()
          await flush()
        },
      }
    },

    learn(group) {
      touch(group.id)
      put(group)
      flushBehind()
    },

    async noticed(notice, isMe) {
      const { group, changes } = groupNoticeIn(notice)
      const jid = bare(group)
      for (const each of changes) {
        const change = changeIn(each, jid, isMe)
        if (!change) continue
        touch(jid)
        if (change.type === 'known') put(change.group)
        else if (change.type === 'gone') gone(jid)
        else if (change.type === 'stale') for (const each of change.jids) stale(each, change.isNews)
        else amend(table.find([jid]), change.amend)
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
      gone(jid)
      flushBehind()
    },

    flush: () => flush(),
    async forget() {
      table.clear()
      readings.clear()
      readAt = null
      await last.catch(() => {})
      await removeAll(store, keys.directoryOf(instance, 'group'))
      await store.commit({ ops: [[listKey, null]] })
    },
  }

  function amend(entry: GroupEntry | undefined, change: (entry: GroupEntry) => void) {
    if (!entry) return
    change(entry)
    table.changed(entry)
  }

  async function load() {
    await table.load()
    readAt = (await lists.get(store, listKey))?.readAt ?? null
  }
}

const NOTHING: GroupEntry = {
  id: '',
  subject: '',
  description: null,
  parent: null,
  isCommunity: false,
  isAnnouncement: false,
  size: 0,
  createdAt: 0,
  owner: null,
  ownerPn: null,
  version: null,
  isStale: false,
}

const entryOf = (group: Group): GroupEntry => ({
  id: group.id,
  subject: cut(group.subject ?? '', MAX_SUBJECT),
  description: cutOrNull(group.desc, MAX_DESCRIPTION),
  parent: group.linkedParent ?? null,
  isCommunity: group.isCommunity === true,
  isAnnouncement: group.isCommunityAnnounce === true,
  size: group.size ?? group.participants.length,
  createdAt: Number.isFinite(group.creation) ? (group.creation ?? 0) : 0,
  owner: group.owner ?? null,
  ownerPn: group.ownerPn ?? null,
  version: group.membersVersion,
  isStale: false,
})

type Change =
  | { type: 'known'; group: Group }
  | { type: 'gone' }
  /** `isNews`: the account may be a member without knowing it. */
  | { type: 'stale'; jids: string[]; isNews: boolean }
  | { type: 'amended'; amend(entry: GroupEntry): void }

type Read = (change: GroupChange, group: string, isMe: (jid: string) => boolean) => Change

const isAmong = (people: readonly NoticePerson[], isMe: (jid: string) => boolean) => people.some(({ names }) => names.some(isMe))

/** A change in which this many people joined or left, from one version of the list to the next. */
const counted = ({ version: next, versionBefore: before }: GroupChange, by: number): Change => ({
  type: 'amended',
  amend(entry) {
    if (next !== undefined && entry.version === next) return
    if (entry.version !== null && before !== undefined && entry.version !== before) entry.isStale = true
    entry.size = Math.max(0, entry.size + by)
    entry.version = next ?? null
  },
})

const linked: Read = ({ groups }, group) => ({ type: 'stale', isNews: false, jids: [group, ...groups] })

const CHANGES: Readonly<Record<string, Read>> = {
  create(change, group) {
    const whole = createdGroupIn(change)
    return whole ? { type: 'known', group: whole } : { type: 'stale', jids: [group], isNews: true }
  },
  delete: () => ({ type: 'gone' }),
  add(change, group, isMe) {
    const people = peopleIn(change)
    return isAmong(people, isMe) ? { type: 'stale', jids: [group], isNews: true } : counted(change, people.length)
  },
  remove(change, _, isMe) {
    const people = peopleIn(change)
    return isAmong(people, isMe) ? { type: 'gone' } : counted(change, -people.length)
  },
  subject: ({ subject }, group) =>
    subject === undefined
      ? { type: 'stale', jids: [group], isNews: false }
      : { type: 'amended', amend: (entry) => void Object.assign(entry, { subject: cut(subject, MAX_SUBJECT) }) },
  description({ body, isDeleted }) {
    const description = isDeleted ? null : cutOrNull(body, MAX_DESCRIPTION)
    return { type: 'amended', amend: (entry) => void Object.assign(entry, { description }) }
  },
  link: linked,
  unlink: linked,
  groups_dirty: ({ groups }) => ({ type: 'stale', isNews: true, jids: [...groups] }),
}

const changeIn = (change: GroupChange, group: string, isMe: (jid: string) => boolean): Change | undefined =>
  Object.hasOwn(CHANGES, change.kind) ? CHANGES[change.kind]!(change, group, isMe) : undefined
