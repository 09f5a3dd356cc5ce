import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  communityAdminQuery,
  countsOf,
  createCommunityQuery,
  deactivateQuery,
  linkCodesIn,
  linkQuery,
  removeFromAllQuery,
  subGroupsIn,
  subGroupsOf,
  subGroupsQuery,
  unlinkQuery,
  whoAddsGroupsQuery,
} from '../../../workers/shard/wire/communities.ts'

const PARENT = '120363019502650977@g.us'
const GROUP = '120363019502650978@g.us'
const LID = '1@lid'

const node = (tag: string, attrs: Record<string, string> = {}, content: BinaryNode[] = []): BinaryNode => ({
  tag,
  attrs,
  content,
})

function written({ tag, attrs, content }: BinaryNode): string {
  const head = [tag, ...Object.entries(attrs).map(([name, value]) => `${name}=${value}`)].join(' ')
  if (content === undefined) return `<${head}/>`
  return `<${head}>${Array.isArray(content) ? content.map(written).join('') : String(content)}</${tag}>`
}
const head = (to: string, type = 'set') => `<iq to=${to} type=${type} xmlns=w:g2>`

const QUERIES: [BinaryNode, string][] = [
  [
    createCommunityQuery({ subject: 'All', key: 'K', description: { id: 'D', text: 'News' } }),
    `${head('@g.us')}<create subject=All key=K><description id=D><body>News</body></description>` +
      '<parent default_membership_approval_mode=request_required/><create_general_chat/></create></iq>',
  ],
  [
    createCommunityQuery({ subject: 'All', key: 'K', description: null }),
    `${head('@g.us')}<create subject=All key=K><parent default_membership_approval_mode=request_required/>` +
      '<create_general_chat/></create></iq>',
  ],
  [whoAddsGroupsQuery(PARENT, true), `${head(PARENT)}<allow_non_admin_sub_group_creation/></iq>`],
  [whoAddsGroupsQuery(PARENT, false), `${head(PARENT)}<not_allow_non_admin_sub_group_creation/></iq>`],
  [deactivateQuery(PARENT), `${head(PARENT)}<delete_parent/></iq>`],
  [linkQuery(PARENT, [GROUP]), `${head(PARENT)}<links><link link_type=sub_group><group jid=${GROUP}/></link></links></iq>`],
  [unlinkQuery(PARENT, [GROUP], false), `${head(PARENT)}<unlink unlink_type=sub_group><group jid=${GROUP}/></unlink></iq>`],
  [
    unlinkQuery(PARENT, [GROUP], true),
    `${head(PARENT)}<unlink unlink_type=sub_group><group jid=${GROUP} remove_orphaned_members=true/></unlink></iq>`,
  ],
  [communityAdminQuery(PARENT, 'demote', [LID]), `${head(PARENT)}<admin><demote><participant jid=${LID}/></demote></admin></iq>`],
  [removeFromAllQuery(PARENT, [LID]), `${head(PARENT)}<remove linked_groups=true><participant jid=${LID}/></remove></iq>`],
  [subGroupsQuery(PARENT), `${head(PARENT, 'get')}<sub_groups/></iq>`],
]

test('each query is written as the network takes it', () => {
  for (const [query, expected] of QUERIES) assert.equal(written(query), expected)
})

test('a refusal of a group is its attribute, or a child of it; who is refused inside is none of the group', () => {
  const refused = node('group', { jid: '2@g.us' }, [node('error', { code: '419' })])
  const people = node('group', { jid: GROUP }, [node('participant', { jid: LID, error: '403' })])
  const link = node('link', { link_type: 'sub_group' }, [node('group', { jid: '1@g.us', error: '409' }), refused, people])
  const codes = linkCodesIn(node('iq', {}, [node('links', {}, [link])]), 'links', 'link')
  assert.deepEqual(
    [...codes],
    [
      ['1@g.us', 409],
      ['2@g.us', 419],
      [GROUP, 200],
    ],
  )
  assert.deepEqual([...linkCodesIn(node('iq'), 'unlink')], [])
})

test('the groups of a community, both ways, and how many are in them', () => {
  const shown = (id: string, value: string) => ({ id, subject: { value, creation_time: '1' } })
  const value = { default_sub_group: shown('1@g.us', 'All'), sub_groups: { edges: [{ node: shown(GROUP, 'Some') }, {}] } }
  assert.deepEqual(subGroupsOf(value), [
    { jid: '1@g.us', subject: 'All', isAnnouncement: true, size: null },
    { jid: GROUP, subject: 'Some', isAnnouncement: false, size: null },
  ])
  assert.deepEqual(subGroupsOf(null), [])
  const answer = node('iq', {}, [
    node('sub_groups', {}, [node('group', { id: '1', subject: 'All', size: '7' }, [node('default_sub_group')]), node('group')]),
  ])
  assert.deepEqual(subGroupsIn(answer), [{ jid: '1@g.us', subject: 'All', isAnnouncement: true, size: 7 }])
  const edges = [{ node: { id: GROUP, total_participants_count: 5 } }, { node: { id: '1@g.us', total_participants_count: null } }]
  assert.deepEqual([...countsOf({ sub_groups: { edges } })], [[GROUP, 5]])
})
