/**
 * A group of the account, as lists show it, and the changes that a notice makes to it. It contains only the number of
 * members, not the members themselves.
 */
import * as v from 'valibot'
import { cut, cutOrNull } from '../wire/bounds.ts'
import { createdGroupIn, type GroupChange, type NoticePerson, peopleIn } from '../wire/group-notice.ts'
import type { Group } from '../wire/groups.ts'

const MAX_SUBJECT = 100
const MAX_DESCRIPTION = 2_048

const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(v.boolean(), false)
const number = v.optional(v.number(), 0)

export const GroupEntry = v.object({
  id: v.string(),
  subject: v.optional(v.string(), ''),
  description: text,
  parent: text,
  isCommunity: flag,
  isAnnouncement: flag,
  size: number,
  /** Epoch seconds. */
  createdAt: number,
  owner: text,
  ownerPn: text,
  version: text,
  isStale: flag,
})
export type GroupEntry = v.InferOutput<typeof GroupEntry>

export const namedEntry = (id: string): GroupEntry => ({ ...v.parse(GroupEntry, { id }), isStale: true })

export const entryOf = (group: Group): GroupEntry => ({
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

export type EntryChange =
  | { type: 'known'; group: Group }
  | { type: 'gone' }
  /**
   * The entries of these jids may be wrong. `isNews`: the account may have become a member, so an unknown group is
   * added.
   */
  | { type: 'stale'; jids: string[]; isNews: boolean }
  | { type: 'amended'; amend(entry: GroupEntry): void }

type Read = (change: GroupChange, group: string, isMe: (jid: string) => boolean) => EntryChange

const isAmong = (people: readonly NoticePerson[], isMe: (jid: string) => boolean) => people.some(({ names }) => names.some(isMe))

/**
 * Changes the number of members by `by`, which is negative if people left. `version` and `versionBefore` are
 * consecutive versions of the list of members.
 */
const counted = ({ version: next, versionBefore: before }: GroupChange, by: number): EntryChange => ({
  type: 'amended',
  amend(entry) {
    if (next !== undefined && entry.version === next) return
    if (entry.version !== null && before !== undefined && entry.version !== before) entry.isStale = true
    entry.size = Math.max(0, entry.size + by)
    entry.version = next ?? null
  },
})

const amended = (fields: Partial<GroupEntry>): EntryChange => ({
  type: 'amended',
  amend: (entry) => void Object.assign(entry, fields),
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
    subject === undefined ? { type: 'stale', jids: [group], isNews: false } : amended({ subject: cut(subject, MAX_SUBJECT) }),
  description: ({ body, isDeleted }) => amended({ description: isDeleted ? null : cutOrNull(body, MAX_DESCRIPTION) }),
  link: linked,
  unlink: linked,
  groups_dirty: ({ groups }) => ({ type: 'stale', isNews: true, jids: [...groups] }),
}

export const entryChangeIn: (change: GroupChange, group: string, isMe: (jid: string) => boolean) => EntryChange | undefined = (
  change,
  group,
  isMe,
) => (Object.hasOwn(CHANGES, change.kind) ? CHANGES[change.kind]!(change, group, isMe) : undefined)
