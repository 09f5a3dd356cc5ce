import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { callIn } from '../../../workers/shard/wire/call.ts'
import { describeMatch, fits, type Match } from '../../../workers/shard/wire/match.ts'
import {
  lidChangeIn,
  linkedProfilesIn,
  mexUpdateIn,
  newsletterRolesIn,
  reachOutLockIn,
} from '../../../workers/shard/wire/mex-notice.ts'
import { newsletterNoticeIn } from '../../../workers/shard/wire/newsletter-notice.ts'
import { node } from '../../harness/nodes.ts'

const CHANNEL = '120363019502650977@newsletter'
const ANA = '5511999990001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'
const BEN = '5511999990002@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'

test('roles and reactions in a channel', () => {
  const found = newsletterNoticeIn(
    node('notification', { type: 'newsletter', from: CHANNEL, t: '5' }, [
      node('participant', { jid: ANA, role: 'ADMIN' }),
      node('participant', { jid: ANA, action: 'promote' }),
      node('participant', { jid: ANA, role: 'subscriber' }),
      node('reaction', { message_id: '7' }, [node('reaction', { code: '👍' })]),
      node('reaction', { server_id: '8' }, [node('reaction', {}, Buffer.from('🙏'))]),
      node('reaction', { server_id: '9' }),
      node('live_updates'),
    ]),
  )
  assert.deepEqual(found, {
    newsletter: CHANNEL,
    t: '5',
    changes: [
      { type: 'role', jid: ANA, isAdmin: true },
      { type: 'role', jid: ANA, isAdmin: true },
      { type: 'role', jid: ANA, isAdmin: false },
      { type: 'reaction', serverId: '7', code: '👍' },
      { type: 'reaction', serverId: '8', code: '🙏' },
      { type: 'reaction', serverId: '9', code: '' },
    ],
  })
})

test('a GraphQL notice has its operation in the JSON or beside it', () => {
  const notice = (tag: string, attrs: Record<string, string>, text: string) =>
    mexUpdateIn(node('notification', { type: 'mex' }, [node(tag, attrs, Buffer.from(text))]))
  assert.deepEqual(notice('update', { op_name: 'Beside' }, '{"data":{"a":1}}'), { operation: 'Beside', json: { data: { a: 1 } } })
  assert.equal(notice('mex', {}, '{"operation":"Inside"}').operation, 'Inside')
  assert.deepEqual(notice('update', {}, 'no JSON'), { operation: '', json: {} })
  assert.deepEqual(mexUpdateIn(node('notification')), { operation: '', json: {} })
})

test('the subject of a GraphQL notification', () => {
  assert.deepEqual(lidChangeIn({ data: { xwa2_notify_lid_change: { old: ANA_LID, new: '1@lid' } } }), {
    before: ANA_LID,
    after: '1@lid',
  })
  assert.equal(lidChangeIn({ data: { xwa2_notify_lid_change: { old: ANA_LID } } }), null)
  assert.equal(reachOutLockIn({ data: {} }), null)
  const lock = { is_active: true, time_enforcement_ends: '1790000000' }
  assert.deepEqual(reachOutLockIn({ data: { xwa2_notify_account_reachout_timelock: lock } }), {
    isActive: true,
    endsAtSeconds: 1_790_000_000,
  })
  const profile = (added: unknown) => ({ jid: ANA_LID, added_profiles: added })
  assert.deepEqual(linkedProfilesIn({ updates: [profile([ANA, { pn: BEN }, { jid: ANA }, {}]), profile('odd'), {}] }), [
    { lid: ANA_LID, pn: ANA },
    { lid: ANA_LID, pn: BEN },
    { lid: ANA_LID, pn: ANA },
  ])
  assert.deepEqual(linkedProfilesIn({ data: { xwa2_notify_linked_profiles: profile([ANA]) } }), [{ lid: ANA_LID, pn: ANA }])
  assert.deepEqual(newsletterRolesIn({ updates: [{ jid: CHANNEL, user: ANA }, { user: BEN }] }), [
    { newsletter: CHANNEL, names: [ANA] },
  ])
  assert.deepEqual(newsletterRolesIn({ data: { xwa2_notify: { id: CHANNEL, user: { id: ANA_LID, pn: ANA } } } }), [
    { newsletter: CHANNEL, names: [ANA_LID, ANA] },
  ])
})

test('a call stanza: the caller, the kind of call, and why it ended', () => {
  const call = (outer: Record<string, string>, tag: string, attrs: Record<string, string>, ...inside: BinaryNode[]) =>
    callIn(
      node('call', { from: `5511999990001:4@s.whatsapp.net`, t: '5', ...outer }, [
        node(tag, { 'call-id': 'C', ...attrs }, inside),
      ]),
    )
  assert.deepEqual(call({ offline: '1' }, 'offer', { 'call-creator': ANA, caller_lid: ANA_LID }, node('video')), {
    kind: 'offer',
    id: 'C',
    from: ANA,
    alt: ANA_LID,
    group: null,
    isVideo: true,
    reason: undefined,
    t: '5',
    isOffline: true,
  })
  assert.equal(call({}, 'offer', { 'call-creator': BEN })?.from, ANA, 'a sender that names somebody else is taken for itself')
  assert.equal(call({ sender_lid: ANA_LID }, 'offer', { 'call-creator': ANA_LID })?.from, ANA_LID)
  const ofGroup = call({ from: GROUP }, 'terminate', { 'call-creator': ANA, 'group-jid': GROUP, reason: 'timeout' })
  assert.deepEqual([ofGroup?.from, ofGroup?.group, ofGroup?.reason], [ANA, GROUP, 'timeout'])
  assert.equal(callIn(node('call', { from: ANA })), null)
  assert.equal(callIn(node('call', { from: ANA }, [node('offer')])), null)
})

test('which stanzas a row is about', () => {
  const stanza = node('notification', { type: 'mex', from: CHANNEL }, [node('update'), node('other')])
  const table: readonly [Match, boolean, string][] = [
    [{ tag: 'notification' }, true, 'notification'],
    [{ tag: 'receipt' }, false, 'receipt'],
    [{ tag: 'notification', attrs: { type: 'mex' } }, true, 'notification type=mex'],
    [{ tag: 'notification', attrs: { type: ['mex', undefined] } }, true, 'notification type=mex|none'],
    [{ tag: 'notification', attrs: { edit: [undefined] } }, true, 'notification edit=none'],
    [{ tag: 'notification', attrs: { type: 'devices' } }, false, 'notification type=devices'],
    [{ tag: 'notification', child: 'update' }, true, 'notification <update>'],
    [{ tag: 'notification', child: 'other' }, false, 'notification <other>'],
    [{ tag: 'notification', from: 'newsletter' }, true, 'notification from=@newsletter'],
    [{ tag: 'notification', from: 'g.us' }, false, 'notification from=@g.us'],
  ]
  for (const [match, expected, text] of table) {
    assert.equal(fits(match, stanza), expected, text)
    assert.equal(describeMatch(match), text)
  }
})
