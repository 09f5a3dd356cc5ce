import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  addQuery,
  batchQuery,
  createQuery,
  decisionQuery,
  groupIn,
  groupJidIn,
  groupsIn,
  inviteCodeIn,
  inviteCodeQuery,
  invitedQuery,
  joinQuery,
  joinRequestsIn,
  joinRequestsQuery,
  leaveError,
  leaveQuery,
  memberQuery,
  metadataQuery,
  newInviteCodeQuery,
  outcomesIn,
  participatingQuery,
} from '../../../workers/shard/wire/groups.ts'
import { node } from '../../harness/nodes.ts'

const GROUP = '120363019502650977@g.us'
const PN = '5511988887777@s.whatsapp.net'
const LID = '123456789012345@lid'

const result = (...content: BinaryNode[]) => node('iq', { type: 'result' }, content)

function written({ tag, attrs, content }: BinaryNode): string {
  const head = [tag, ...Object.entries(attrs).map(([name, value]) => `${name}=${value}`)].join(' ')
  if (content === undefined) return `<${head}/>`
  const inner = Array.isArray(content) ? content.map(written).join('') : String(content)
  return `<${head}>${inner}</${tag}>`
}

const QUERIES: [BinaryNode, string][] = [
  [metadataQuery(GROUP), `<iq to=${GROUP} type=get xmlns=w:g2><query request=interactive/></iq>`],
  [batchQuery([GROUP]), `<iq to=@g.us type=get xmlns=w:g2><query><group jid=${GROUP}/></query></iq>`],
  [participatingQuery(), '<iq to=@g.us type=get xmlns=w:g2><participating><participants/><description/></participating></iq>'],
  [inviteCodeQuery(GROUP), `<iq to=${GROUP} type=get xmlns=w:g2><invite/></iq>`],
  [newInviteCodeQuery(GROUP), `<iq to=${GROUP} type=set xmlns=w:g2><invite/></iq>`],
  [invitedQuery('Ab'), '<iq to=@g.us type=get xmlns=w:g2><invite code=Ab/></iq>'],
  [joinQuery('Ab'), '<iq to=@g.us type=set xmlns=w:g2><invite code=Ab/></iq>'],
  [joinRequestsQuery(GROUP), `<iq to=${GROUP} type=get xmlns=w:g2><membership_approval_requests/></iq>`],
  [leaveQuery(GROUP), `<iq to=@g.us type=set xmlns=w:g2><leave><group id=${GROUP}/></leave></iq>`],
  [
    createQuery('Team', 'KEY', [
      { jid: PN, token: Uint8Array.of(1, 171) },
      { jid: LID, phoneNumber: PN },
    ]),
    `<iq to=@g.us type=set xmlns=w:g2><create subject=Team key=KEY><participant jid=${PN}><privacy>01ab</privacy></participant>` +
      `<participant jid=${LID} phone_number=${PN}/></create></iq>`,
  ],
  [addQuery(GROUP, [{ jid: PN }]), `<iq to=${GROUP} type=set xmlns=w:g2><add><participant jid=${PN}/></add></iq>`],
  [memberQuery(GROUP, 'promote', [LID]), `<iq to=${GROUP} type=set xmlns=w:g2><promote><participant jid=${LID}/></promote></iq>`],
  [
    decisionQuery(GROUP, 'reject', [LID]),
    `<iq to=${GROUP} type=set xmlns=w:g2><membership_requests_action><reject><participant jid=${LID}/></reject></membership_requests_action></iq>`,
  ],
]

for (const [query, expected] of QUERIES) test(`asks ${expected}`, () => assert.equal(written(query), expected))

const participant = (attrs: Record<string, string>, ...content: BinaryNode[]) =>
  node('participant', { jid: LID, ...attrs }, content)

const OUTCOMES: [string, BinaryNode, number, { code: string; expiresAt: number } | null][] = [
  ['done', participant({}), 200, null],
  ['refused', participant({ error: '408' }), 408, null],
  [
    'refused, and to be invited',
    participant({ error: '403' }, node('add_request', { code: 'Ab', expiration: '17' })),
    403,
    { code: 'Ab', expiresAt: 17 },
  ],
  ['waits for an administrator', participant({}, node('membership_approval_request')), 202, null],
  ['waits already', participant({}, node('membership_approval_request', { error: '304' })), 202, null],
  ['cannot wait', participant({}, node('membership_approval_request', { error: '419' })), 419, null],
]

for (const [name, person, code, invitation] of OUTCOMES)
  test(`of a person the answer says: ${name}`, () => {
    assert.deepEqual(outcomesIn(result(node('add', {}, [person])), 'add'), [{ names: [LID], code, invitation }])
  })

test('a person is named by every name the answer has, wherever the list stands', () => {
  const answer = result(
    node('membership_requests_action', {}, [
      node('approve', {}, [participant({ jid: '123456789012345:7@lid', phone_number: PN })]),
    ]),
  )
  assert.deepEqual(outcomesIn(answer, 'membership_requests_action', 'approve')[0]?.names, [LID, PN])
  assert.deepEqual(outcomesIn(answer, 'add'), [])
})

test('a group is named by jid or by bare id', () => {
  assert.equal(groupJidIn(result(node('group', { jid: GROUP }))), GROUP)
  assert.equal(groupJidIn(result(node('group', { id: '120363019502650977' }))), GROUP)
  assert.equal(groupJidIn(result(node('membership_approval_request', { jid: GROUP })), 'membership_approval_request'), GROUP)
  assert.equal(groupJidIn(result()), null)
})

test('that the account could not leave stands in the group inside', () => {
  assert.equal(leaveError(result(node('leave', {}, [node('group', { id: GROUP })]))), null)
  assert.equal(leaveError(result(node('leave', {}, [node('group', { id: GROUP, error: '404' })]))), 404)
})

const group = (id: string, ...content: BinaryNode[]) => node('group', { id, subject: 'Team', creation: '1', s_t: '1' }, content)
const approval = (...content: BinaryNode[]) => node('membership_approval_mode', {}, content)

test('approval is on where the inner element says so, and suspension is read', () => {
  const on = groupIn(result(group('1', approval(node('group_join', { state: 'on' })), node('suspended'))))
  assert.deepEqual([on.joinApprovalMode, on.isSuspended], [true, true])
  for (const inner of [[], [node('group_join', { state: 'off' })]])
    assert.equal(groupIn(result(group('1', approval(...inner)))).joinApprovalMode, false)
})

test('of many groups those that are only named are to be asked for, and those that are refused are none', () => {
  const answer = result(
    node('groups', {}, [
      group('1'),
      node('group', { id: '2', size: '300', truncated: 'true' }),
      node('group', { id: '3', error: '403' }),
    ]),
  )
  assert.deepEqual(
    [...groupsIn(answer)].map((listed) => [listed.is, listed.is === 'whole' ? listed.group.id : listed.jid]),
    [
      ['whole', '1@g.us'],
      ['truncated', '2@g.us'],
      ['refused', '3@g.us'],
    ],
  )
})

test('the code of a link is told, or it is not', () => {
  assert.equal(inviteCodeIn(result(node('invite', { code: 'Ab' }))), 'Ab')
  for (const answer of [result(), result(node('invite')), result(node('invite', { code: '' }))])
    assert.equal(inviteCodeIn(answer), null)
})

test('who asks to join, under every name; without one it is nobody', () => {
  const request = (attrs: Record<string, string>) => node('membership_approval_request', attrs)
  const asked = { jid: LID, phone_number: PN, request_time: '5', request_method: 'invite_link' }
  assert.deepEqual(joinRequestsIn(result(node('membership_approval_requests', {}, [request(asked), request({})]))), [
    { jid: LID, pn: PN, lid: undefined, requestedAt: 5, method: 'invite_link' },
  ])
  assert.deepEqual(joinRequestsIn(result()), [])
})
