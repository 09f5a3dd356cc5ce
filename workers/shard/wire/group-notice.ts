/**
 * Parses `<notification type="w:gp2" from=group participant? participant_pn? participant_lid?>`: changes of a group.
 * Each child is one change, and its tag is the kind of change.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'
import { type Group, groupIn, groupJidIn } from './groups.ts'
import { bare } from './jid.ts'

/** The person who made the changes; absent if the network itself made them. */
export interface Actor {
  jid: string | undefined
  alt: string | undefined
}

export interface NoticePerson {
  jid: string
  alt: string | undefined
  names: readonly string[]
}

export interface GroupChange {
  kind: string
  /** How a person asked to join: `invite_link`, `non_admin_add`, `linked_group_join`. */
  requestMethod: string | undefined
  subject: string | undefined
  body: string | null
  /** Whether the description was removed: `delete="true"`. */
  isDeleted: boolean
  code: string | undefined
  /** Duration of disappearing messages in seconds, as text. */
  expiration: string | undefined
  approval: string | undefined
  text: string | null
  version: string | undefined
  versionBefore: string | undefined
  /**
   * Jids of the children `<group>`: the new group of a `create`, or groups of a community that were linked or unlinked,
   * or whose data is outdated.
   */
  groups: readonly string[]
  node: BinaryNode
}

export interface GroupNotice {
  group: string
  actor: Actor
  changes: readonly GroupChange[]
}

export const groupNoticeIn = (notice: BinaryNode): GroupNotice => ({
  group: notice.attrs.from ?? '',
  actor: { jid: notice.attrs.participant, alt: notice.attrs.participant_pn ?? notice.attrs.participant_lid },
  changes: getAllBinaryNodeChildren(notice).map(changeOf),
})

/** Null if the notification does not describe the group. Throws like the library if the group cannot be parsed. */
export function createdGroupIn({ node }: GroupChange): Group | null {
  return getBinaryNodeChild(node, 'group')?.attrs.id ? groupIn(node) : null
}

export const peopleIn = ({ node }: GroupChange): NoticePerson[] => getBinaryNodeChildren(node, 'participant').map(personOf)

/** Returns the people who asked to join. The notification lists them if another person made the change. */
export const requestedIn = ({ node }: GroupChange): NoticePerson[] => getBinaryNodeChildren(node, 'requested_user').map(personOf)

function changeOf(child: BinaryNode): GroupChange {
  const { tag, attrs } = child
  const groups = getBinaryNodeChildren(child, 'group')
  return {
    kind: tag,
    requestMethod: attrs.request_method,
    subject: groups[0]?.attrs.subject ?? attrs.subject,
    body: contentText(getBinaryNodeChild(child, 'body')),
    isDeleted: attrs.delete === 'true',
    code: attrs.code,
    expiration: attrs.expiration,
    approval: getBinaryNodeChild(child, 'group_join')?.attrs.state,
    text: contentText(child),
    version: attrs.v_id,
    versionBefore: attrs.prev_v_id,
    groups: groups.flatMap((group) => groupJidIn({ tag, attrs: {}, content: [group] }) ?? []),
    node: child,
  }
}

const personOf = ({ attrs: { jid = '', phone_number: pn, lid } }: BinaryNode): NoticePerson => ({
  jid,
  alt: pn ?? lid,
  names: [jid, pn, lid].flatMap((name) => (name ? [bare(name)] : [])),
})
