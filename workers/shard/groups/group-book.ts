/**
 * Owns the data about groups. It passes the network's answers and notices to the parts of this data that they concern.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { LidPair } from '../connection/identity.ts'
import type { Context } from '../context/instance-context.ts'
import type { AccountDirectory } from '../directory/account-directory.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { groupNoticeIn } from '../wire/group-notice.ts'
import { type Group, namesOf } from '../wire/groups.ts'
import { bare } from '../wire/jid.ts'
import type { GroupEntry } from './group-entry.ts'
import { createGroupList, type GroupList } from './group-list.ts'
import { createGroupMetadata, type GroupMetadata } from './group-metadata.ts'
import { createGroupRoles, type GroupRoles } from './group-roles.ts'
import { createGroupStore } from './group-store.ts'
import { createListReading, type ListReading } from './list-reading.ts'
import { takeMembers } from './members.ts'

export interface GroupBook {
  readonly roles: Pick<GroupRoles, 'of' | 'changed'>
  /** Begins a session. Must be called before any stanza arrives. */
  open(session: GroupSession): SessionGroups
  /** Removes all data about groups. Called after the device was unlinked, because the next account must not see it. */
  forget(): Promise<void>
}

export interface GroupSession {
  sock: Pick<NetworkSocket, 'query'>
  isMe(jid: string): boolean
  /** Saves the pairs (number and LID) of members. The caller logs a failure. */
  learnPairs(pairs: LidPair[]): Promise<void>
  ended: AbortSignal
}

export interface SessionGroups
  extends Pick<GroupMetadata, 'known' | 'get' | 'refresh' | 'forget'>,
    Pick<GroupList, 'ready' | 'find' | 'left'>,
    Pick<ListReading, 'read' | 'catchUp'> {
  /**
   * Returns the groups of the account. Queries the network only if the list was never read, or if groups may have
   * changed since.
   */
  list(): Promise<GroupEntry[]>
  /**
   * Must be called after our own change of these groups, because the notice about it arrives later. The groups, and the
   * groups of a changed community, are read again before they are used.
   */
  changed(jids: readonly string[]): void
  /** Must be called when the account has joined this group. The group is read again before it is used. */
  joined(jid: string): void
  /** The changes are on disk when this resolves; only those of roles are in the commit of the notice's event. */
  noticed(notice: BinaryNode): Promise<void>
}

export function createGroupBook(
  context: Context<'id' | 'store' | 'sealer' | 'clock' | 'steady' | 'log'>,
  { directory }: { directory: Pick<AccountDirectory, 'ready' | 'group' | 'met'> },
): GroupBook {
  const { clock, steady, log } = context
  const roles = createGroupRoles(context)
  const list = createGroupList(context)
  const stored = createGroupStore(context)

  function learn(group: Group) {
    roles.learn(group)
    list.learn(group)
    learnChat(group).catch((error) => log.warn({ err: error }, 'a group could not be saved'))
  }

  async function learnChat({ id, subject, ephemeralDuration, isCommunityAnnounce, participants }: Group) {
    await directory.ready()
    directory.group(id, {
      name: subject,
      ephemeralSeconds: ephemeralDuration ?? 0,
      isAnnouncement: isCommunityAnnounce === true,
    })
    await directory.met(participants.map(namesOf))
  }

  return {
    roles,
    open({ sock, isMe, learnPairs, ended }) {
      const metadata = createGroupMetadata({ sock, clock: steady, learnPairs, stored, learn })
      const members = takeMembers({ directory, learnPairs, ended })
      const reading = createListReading({ sock, list, stored, members, ended, clock, log })
      roles.attach({ refresh: metadata.refresh, ended })
      return {
        known: metadata.known,
        get: metadata.get,
        refresh: metadata.refresh,
        forget: metadata.forget,
        ready: list.ready,
        find: list.find,
        left: list.left,
        read: reading.read,
        catchUp: reading.catchUp,
        async list() {
          await reading.current()
          return list.list()
        },
        changed(jids) {
          for (const jid of jids) metadata.forget(jid)
          list.changed(jids)
        },
        joined(jid) {
          metadata.forget(jid)
          list.joined(jid)
        },
        async noticed(notice) {
          const { group, changes } = groupNoticeIn(notice)
          metadata.forget(bare(group))
          await Promise.all([stored.settled(), list.ready()])
          await list.noticed(bare(group), changes, isMe)
        },
      }
    },
    async forget() {
      await Promise.all([roles, list, stored].map((facet) => facet.forget()))
    },
  }
}
