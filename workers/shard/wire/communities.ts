/**
 * Builds queries about communities (`w:g2`) and parses the answers, as WhatsApp Web does. A community is the parent of
 * its groups.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { ALL_GROUPS, groupJidIn, listed, node, query } from './groups.ts'
import { type Json, numberOf, object, objects, textOf } from './json.ts'

export interface NewCommunity {
  subject: string
  /** Key by which the network recognizes that a request was repeated. */
  key: string
  description: { id: string; text: string } | null
}

/** Creates a community. Without `<allow_non_admin_sub_group_creation/>` only administrators may add groups. */
export const createCommunityQuery = ({ subject, key, description }: NewCommunity) =>
  query(
    ALL_GROUPS,
    'set',
    node('create', { subject, key }, [
      ...(description ? [node('description', { id: description.id }, [node('body', {}, Buffer.from(description.text))])] : []),
      node('parent', { default_membership_approval_mode: 'request_required' }),
      node('create_general_chat'),
    ]),
  )

export const whoAddsGroupsQuery = (parent: string, isEverybody: boolean) =>
  query(parent, 'set', node(isEverybody ? 'allow_non_admin_sub_group_creation' : 'not_allow_non_admin_sub_group_creation'))

export const deactivateQuery = (parent: string) => query(parent, 'set', node('delete_parent'))

export const linkQuery = (parent: string, groups: readonly string[]) =>
  query(
    parent,
    'set',
    node('links', {}, [
      node(
        'link',
        { link_type: 'sub_group' },
        groups.map((jid) => node('group', { jid })),
      ),
    ]),
  )

export const unlinkQuery = (parent: string, groups: readonly string[], removesOrphans: boolean) =>
  query(
    parent,
    'set',
    node(
      'unlink',
      { unlink_type: 'sub_group' },
      groups.map((jid) => node('group', { jid, ...(removesOrphans ? { remove_orphaned_members: 'true' } : {}) })),
    ),
  )

const DONE = 200

/**
 * Returns the network's code for each group under `path`. The code is an attribute, as in WhatsApp Web, or a child, as
 * in the library zapo.
 */
export function linkCodesIn(answer: BinaryNode, ...path: string[]): Map<string, number> {
  const list = path.reduce<BinaryNode | undefined>(getBinaryNodeChild, answer)
  return new Map(
    getBinaryNodeChildren(list, 'group').flatMap((group) => {
      const jid = groupJidIn({ tag: 'iq', attrs: {}, content: [group] })
      const code = Number(group.attrs.error ?? getBinaryNodeChild(group, 'error')?.attrs.code)
      return jid === null ? [] : [[jid, code > 0 ? code : DONE] as const]
    }),
  )
}

export const communityAdminQuery = (parent: string, change: 'promote' | 'demote', jids: readonly string[]) =>
  query(parent, 'set', node('admin', {}, [node(change, {}, listed(jids))]))

export const removeFromAllQuery = (parent: string, jids: readonly string[]) =>
  query(parent, 'set', node('remove', { linked_groups: 'true' }, listed(jids)))

export const subGroupsQuery = (parent: string) => query(parent, 'get', node('sub_groups'))

export interface SubGroup {
  jid: string
  subject: string
  isAnnouncement: boolean
  size: number | null
}

export const subGroupsIn = (answer: BinaryNode): SubGroup[] =>
  getBinaryNodeChildren(getBinaryNodeChild(answer, 'sub_groups'), 'group').flatMap((group) => {
    const jid = groupJidIn({ tag: 'iq', attrs: {}, content: [group] })
    if (jid === null) return []
    const isAnnouncement = getBinaryNodeChild(group, 'default_sub_group') !== undefined
    return [{ jid, subject: group.attrs.subject ?? '', isAnnouncement, size: numberOf(group.attrs.size) }]
  })

function shown(value: unknown, isAnnouncement: boolean): SubGroup[] {
  const { id, subject } = object(value)
  const jid = textOf(id)
  return jid === null ? [] : [{ jid, subject: textOf(object(subject).value) ?? '', isAnnouncement, size: null }]
}

export function subGroupsOf(value: unknown): SubGroup[] {
  const { default_sub_group: announcement, sub_groups: others } = object(value)
  return [...shown(announcement, true), ...edges(others).flatMap((each) => shown(each, false))]
}

/**
 * Reads the member counts in the result of the GraphQL operation `QuerySubgroupParticipantCount`, by the jid of the
 * group.
 */
export const countsOf = (value: unknown): Map<string, number> =>
  new Map(
    edges(object(value).sub_groups).flatMap(({ id, total_participants_count: count }) => {
      const [jid, size] = [textOf(id), numberOf(count)]
      return jid === null || size === null ? [] : [[jid, size] as const]
    }),
  )

const edges = (value: unknown): Json[] => objects(object(value).edges).map((edge) => object(edge.node))
