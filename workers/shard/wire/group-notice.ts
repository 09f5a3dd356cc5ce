/**
 * `<notification type="w:gp2" from=group participant? participant_pn? participant_lid?>`: what changed in a group, a child for each change, named by
 * its tag. Pure. Children and attributes as in the specification (`wire-check.mjs show 'notification w:gp2'`).
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'
import { type Group, groupIn, groupJidIn } from './groups.ts'
import { bare } from './jid.ts'

/** Who made the changes; absent where the network did. */
export interface Actor {
  jid: string | undefined
  alt: string | undefined
}

/** `<participant jid phone_number? lid?>`, `<requested_user jid …>`. */
export interface NoticePerson {
  /** Empty: absent. */
  jid: string
  alt: string | undefined
  /** Every name, bare. */
  names: readonly string[]
}

export interface GroupChange {
  /** The tag: `add`, `subject`, `locked` and so on. */
  kind: string
  /** `invite_link`, `non_admin_add`, `linked_group_join`. */
  requestMethod: string | undefined
  /** Of a new subject, and of a new group. */
  subject: string | undefined
  /** Of a new description; null: absent. */
  body: string | null
  /** `delete="true"`: the description is gone. */
  isDeleted: boolean
  /** Of a new link. */
  code: string | undefined
  /** Seconds, as text. */
  expiration: string | undefined
  /** `<group_join state>` of the mode of approval. */
  approval: string | undefined
  /** What stands in the child itself: the mode of `member_add_mode`. */
  text: string | null
  /** Version of the list of members, and the one that it follows. */
  version: string | undefined
  versionBefore: string | undefined
  /** Jids of `<group>` children: of a community, linked, or out of date. */
  groups: readonly string[]
  node: BinaryNode
}

export interface GroupNotice {
  group: string
  actor: Actor
  /** In their order. */
  changes: readonly GroupChange[]
}

export const groupNoticeIn = (notice: BinaryNode): GroupNotice => ({
  group: notice.attrs.from ?? '',
  actor: { jid: notice.attrs.participant, alt: notice.attrs.participant_pn ?? notice.attrs.participant_lid },
  changes: getAllBinaryNodeChildren(notice).map(changeOf),
})

/** The group of a `create`; null where it is only named. Throws as the library does for one that cannot be read. */
export function createdGroupIn({ node }: GroupChange): Group | null {
  return getBinaryNodeChild(node, 'group')?.attrs.id ? groupIn(node) : null
}

/** Whom a change is about; tens of thousands, at most. */
export const peopleIn = ({ node }: GroupChange): NoticePerson[] => getBinaryNodeChildren(node, 'participant').map(personOf)

/** Who asked to join, where the actor is somebody else. */
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
