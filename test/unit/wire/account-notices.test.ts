import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  accountChangesIn,
  collectionsIn,
  deviceChangeIn,
  dirtyIn,
  expirationIn,
  hasNewIdentity,
  isDeviceRemoval,
  keysLeftIn,
  ownLidIn,
} from '../../../workers/shard/wire/account-notices.ts'
import { tokenGiverIn } from '../../../workers/shard/wire/chat-token.ts'
import { pictureChangeIn } from '../../../workers/shard/wire/picture.ts'
import { lastSeenIn } from '../../../workers/shard/wire/presence.ts'
import { node } from '../../harness/nodes.ts'

const ME = '5511999990000@s.whatsapp.net'
const LID = '81896604190000@lid'

const notice = (attrs: Record<string, string>, ...content: BinaryNode[]) => node('notification', attrs, content)

test('changes of the account, each a child; what is not known is left out', () => {
  const devices = node('devices', {}, [node('device', { jid: ME })])
  const found = accountChangesIn(
    notice(
      { type: 'account_sync', from: ME },
      node('privacy'),
      node('disappearing_mode', { duration: '86400', t: '1790000000' }),
      node('disappearing_mode', { duration: 'odd', t: '1790000000' }),
      node('tos'),
      devices,
    ),
  )
  assert.deepEqual(found, [
    { type: 'privacy' },
    { type: 'disappearing_mode', duration: 86_400, since: 1_790_000_000 },
    { type: 'devices', notice: notice({ type: 'account_sync', from: ME }, devices) },
  ])
})

test('a change of devices names the person and the devices, under every name', () => {
  const device = node('device', { jid: '5511999990000:3@s.whatsapp.net', lid: '81896604190000:3@lid' })
  assert.deepEqual(deviceChangeIn(notice({ from: ME, lid: LID }, node('remove', {}, [device]))), {
    people: [ME, LID],
    devices: ['5511999990000:3@s.whatsapp.net', '81896604190000:3@lid'],
    isRemoval: true,
  })
  assert.deepEqual(deviceChangeIn(notice({ from: ME }, node('update', { hash: 'x' }))), {
    people: [ME],
    devices: [],
    isRemoval: false,
  })
  assert.deepEqual(deviceChangeIn(notice({ from: ME })).devices, [])
})

test('notices about keys', () => {
  assert.equal(hasNewIdentity(notice({}, node('identity'))), true)
  assert.equal(hasNewIdentity(notice({}, node('count', { value: '3' }))), false)
  assert.equal(keysLeftIn(notice({}, node('count', { value: '3' }))), 3)
  assert.equal(keysLeftIn(notice({}, node('count'))), Number.NaN)
  assert.equal(keysLeftIn(notice({}, node('identity'))), Number.NaN)
})

test('collections of app state with their versions', () => {
  const found = collectionsIn(
    notice({}, node('collection', { name: 'regular', version: '7' }), node('collection', { name: 'critical_block' })),
  )
  assert.deepEqual(found, [
    { name: 'regular', version: 7 },
    { name: 'critical_block', version: null },
  ])
})

test('the content of `ib` and `success`', () => {
  assert.deepEqual(dirtyIn(node('ib', {}, [node('dirty', { type: 'groups', timestamp: '5' })])), {
    type: 'groups',
    timestamp: '5',
  })
  assert.deepEqual(dirtyIn(node('ib')), { type: undefined, timestamp: undefined })
  const expires = (t: string) => expirationIn(node('ib', {}, [node('client_expiration', { t })]))
  assert.deepEqual(['1790000000', '0', 'soon', '100000000000'].map(expires), [1_790_000_000, null, null, null])
  assert.equal(ownLidIn(node('success', { lid: LID })), LID)
  assert.equal(ownLidIn(node('success')), null)
})

test('a removed device is told from a connection that was replaced', () => {
  assert.equal(isDeviceRemoval(node('conflict', { type: 'device_removed' })), true)
  for (const other of [
    node('conflict', { type: 'replaced' }),
    node('other'),
    null,
    undefined,
    'conflict',
    {},
    { tag: 'conflict' },
  ])
    assert.equal(isDeviceRemoval(other), false)
})

test('a picture is set or deleted; a request for one is neither', () => {
  const table = [
    [node('set', { id: '9', author: ME }), { id: '9', author: ME, isRemoved: false }],
    [node('delete', { author: ME }), { id: '', author: ME, isRemoved: true }],
    [node('request'), null],
  ] as const
  for (const [child, change] of table) assert.deepEqual(pictureChangeIn(notice({}, child)), change)
})

test('when somebody was last seen, where that is told', () => {
  const table = [
    ['1790000000', 1_790_000_000],
    ['deny', null],
    ['0', null],
    ['100000000000', null],
  ] as const
  for (const [last, seconds] of table) assert.equal(lastSeenIn(node('presence', { last })), seconds)
  assert.equal(lastSeenIn(node('presence')), null)
})

test('who gives a token is named by number and LID', () => {
  assert.deepEqual(tokenGiverIn(notice({ from: ME, sender_lid: LID })), { from: ME, lid: LID })
  assert.deepEqual(tokenGiverIn(notice({ from: ME })), { from: ME, lid: '' })
})
