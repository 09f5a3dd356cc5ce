import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  createdGroupIn,
  type GroupChange,
  groupNoticeIn,
  peopleIn,
  requestedIn,
} from '../../../workers/shard/wire/group-notice.ts'
import { node } from '../../harness/nodes.ts'

const GROUP = '120363019502650977@g.us'
const ANA = '5511999990001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'

const notice = (attrs: Record<string, string>, ...changes: BinaryNode[]) =>
  groupNoticeIn(node('notification', { type: 'w:gp2', from: GROUP, ...attrs }, changes))
const only = (change: BinaryNode): GroupChange => notice({}, change).changes[0]!

test('who acted has the other name that the stanza has; a notice of the network names nobody', () => {
  const table = [
    [
      { participant: ANA, participant_lid: ANA_LID },
      { jid: ANA, alt: ANA_LID },
    ],
    [
      { participant: ANA_LID, participant_pn: ANA },
      { jid: ANA_LID, alt: ANA },
    ],
    [{}, { jid: undefined, alt: undefined }],
  ] as const
  for (const [attrs, actor] of table) assert.deepEqual(notice(attrs).actor, actor)
})

test('each change by its tag, in order', () => {
  const { group, changes } = notice({}, node('locked'), node('subject', { subject: 'New' }), node('announcement'))
  assert.equal(group, GROUP)
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ['locked', 'subject', 'announcement'],
  )
})

test('the content of each change of a group', () => {
  const text = (value: string) => Buffer.from(value)
  const table: readonly [BinaryNode, Partial<GroupChange>][] = [
    [node('subject', { subject: 'New' }), { subject: 'New' }],
    [node('create', { subject: 'Outer' }, [node('group', { id: '1', subject: 'Inner' })]), { subject: 'Inner' }],
    [node('description', {}, [node('body', {}, text('About us'))]), { body: 'About us', isDeleted: false }],
    [node('description', {}, [node('body', {}, 'admin')]), { body: 'admin' }],
    [node('description', { delete: 'true' }), { body: null, isDeleted: true }],
    [node('invite', { code: 'AbC' }), { code: 'AbC' }],
    [node('ephemeral', { expiration: '86400' }), { expiration: '86400' }],
    [node('membership_approval_mode', {}, [node('group_join', { state: 'on' })]), { approval: 'on' }],
    [node('member_add_mode', {}, text('admin_add')), { text: 'admin_add' }],
    [node('add', { v_id: '2', prev_v_id: '1' }), { version: '2', versionBefore: '1' }],
    [node('link', {}, [node('group', { jid: GROUP }), node('group', { id: '5' }), node('group')]), { groups: [GROUP, '5@g.us'] }],
    [node('created_membership_requests', { request_method: 'InviteLink' }), { requestMethod: 'InviteLink' }],
  ]
  for (const [change, expected] of table) {
    const found = only(change)
    for (const [field, value] of Object.entries(expected))
      assert.deepEqual(found[field as keyof GroupChange], value, `${change.tag} ${field}`)
  }
})

test('people have every name, bare; those who asked stand apart', () => {
  const change = only(
    node('created_membership_requests', {}, [
      node('participant', { jid: '81896604190001:3@lid', phone_number: ANA }),
      node('requested_user', { jid: ANA, lid: ANA_LID }),
      node('participant'),
    ]),
  )
  assert.deepEqual(peopleIn(change), [
    { jid: '81896604190001:3@lid', alt: ANA, names: [ANA_LID, ANA] },
    { jid: '', alt: undefined, names: [] },
  ])
  assert.deepEqual(requestedIn(change), [{ jid: ANA, alt: ANA_LID, names: [ANA, ANA_LID] }])
})

test('a created group is read whole, and one that is only named is not', () => {
  const attrs = { id: '120363019502650977', subject: 'New', creation: '1790000000', creator: ANA, s_t: '1790000000', s_o: ANA }
  const whole = createdGroupIn(only(node('create', {}, [node('group', attrs, [node('participant', { jid: ANA })])])))
  assert.deepEqual([whole?.id, whole?.subject, whole?.participants.length], [GROUP, 'New', 1])
  assert.equal(createdGroupIn(only(node('create', {}, [node('group', { subject: 'New' })]))), null)
  assert.equal(createdGroupIn(only(node('create'))), null)
})
