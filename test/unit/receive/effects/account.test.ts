import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { accountSynced } from '../../../../workers/shard/receive/effects/account-sync.ts'
import { createLidPairs } from '../../../../workers/shard/receive/effects/lid-pairs.ts'
import { handleMex } from '../../../../workers/shard/receive/effects/mex.ts'
import { createPrivacyTokens } from '../../../../workers/shard/receive/effects/privacy-tokens.ts'
import { chatChangesIn } from '../../../../workers/shard/wire/chat-changes.ts'
import { chatLine } from '../../../../workers/shard/wire/chat-line.ts'
import { lidPairsIn } from '../../../../workers/shard/wire/lid-pairs.ts'
import { node } from '../../../harness/nodes.ts'

const [PN, LID] = ['5511988880001@s.whatsapp.net', '81896604190001@lid']

test('the pair of number and LID is found in every stanza that has both', () => {
  const pair = [{ pn: PN, lid: LID }]
  const device = (jid: string) => jid.replace('@', ':3@')
  for (const stanza of [
    node('message', { from: device(PN), sender_lid: LID }),
    node('message', { from: device(LID), sender_pn: PN }),
    node('message', { from: '1@g.us', participant: device(LID), participant_pn: PN }),
    node('message', { from: '1@s.whatsapp.net', recipient: LID, peer_recipient_pn: PN }),
    node('receipt', { from: '1@g.us', participant: PN, participant_lid: LID }),
    node('notification', { from: PN, lid: LID, type: 'devices' }),
    node('notification', { type: 'w:gp2' }, [node('add', {}, [node('participant', { jid: LID, phone_number: PN })])]),
    node('notification', { type: 'contacts' }, [node('modify', { new: PN, new_lid: LID })]),
    node('call', {}, [node('offer', { 'call-creator': LID, caller_pn: PN })]),
  ])
    assert.deepEqual(lidPairsIn(stanza), pair, JSON.stringify(stanza))
  for (const stanza of [
    node('message', { from: PN }),
    node('message', { from: PN, sender_lid: 'odd' }),
    node('message', { from: PN, sender_pn: PN }),
    // The author of a message chooses its content. So inside of a message this node must have no effect.
    node('message', { from: '1@lid' }, [node('meta', { jid: LID, phone_number: PN })]),
  ])
    assert.deepEqual(lidPairsIn(stanza), [])
})

test('a pair of number and LID is stored once, together with the sessions that it moves, and again when the person gets another LID', async () => {
  const done: string[] = []
  const take = createLidPairs({
    signalRepository: {
      lidMapping: {
        storeLIDPNMappings: async (pairs: { lid: string }[]) => void done.push(...pairs.map(({ lid }) => `stored ${lid}`)),
      },
      migrateSession: async (_: string, lid: string) => void done.push(`moved ${lid}`),
    },
  } as never)
  await take(node('message', { from: PN, sender_lid: LID }))
  assert.equal(take(node('message', { from: LID, sender_pn: PN })), undefined)
  await take(node('message', { from: PN, sender_lid: '9@lid' }))
  assert.deepEqual(done, [`stored ${LID}`, `moved ${LID}`, 'stored 9@lid', 'moved 9@lid'])
})

// An earlier bug: a thousand pairs of number and LID were stored in a single turn of the event loop.
test('the pairs of a long list are stored in slices, with other tasks in between', async () => {
  const sizes: number[] = []
  const turns: number[] = []
  let turn = 0
  let next = setImmediate(function again() {
    turn++
    next = setImmediate(again)
  })
  const take = createLidPairs({
    signalRepository: {
      lidMapping: {
        storeLIDPNMappings: async (pairs: unknown[]) => {
          sizes.push(pairs.length)
          turns.push(turn)
        },
      },
      migrateSession: async () => {},
    },
  } as never)
  const members = Array.from({ length: 1_000 }, (_, index) =>
    node('participant', { jid: `${LID.slice(0, 4)}${index}@lid`, phone_number: `5511${index}@s.whatsapp.net` }),
  )
  await take(node('notification', { type: 'w:gp2' }, [node('add', {}, members)]))
  clearImmediate(next)
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    1_000,
  )
  assert.ok(Math.max(...sizes) <= 100, `slices of ${sizes}`)
  assert.equal(new Set(turns).size, sizes.length, 'each in a turn of its own')
})

test('stanzas of one chat are in one line, also when it is named otherwise', () => {
  const isOwn = (jid: string) => jid.startsWith('1:') || jid.startsWith('1@')
  const line = (attrs: Record<string, string>) => chatLine(node('message', attrs), isOwn)
  assert.equal(line({ from: '5511988880001:3@s.whatsapp.net', sender_lid: LID }), LID)
  assert.equal(line({ from: '81896604190001:3@lid' }), LID)
  assert.equal(line({ from: '1:2@s.whatsapp.net', recipient: PN, peer_recipient_lid: LID }), LID)
  assert.equal(line({ from: '1:2@s.whatsapp.net' }), '1@s.whatsapp.net')
  assert.equal(line({ from: '7@g.us', participant: LID }), '7@g.us')
  assert.notEqual(line({ from: 'status@broadcast', participant: PN }), line({ from: 'status@broadcast', participant: '2@lid' }))
})

test('new names and pictures of chats are read from every kind of notice', () => {
  const notice = (type: string, from: string, content: BinaryNode[]) =>
    chatChangesIn(node('notification', { type, from }, content))
  assert.deepEqual(notice('w:gp2', '7@g.us', [node('subject', { subject: 'New' }), node('locked', {})]), [
    { jid: '7@g.us', name: 'New', hasNewPicture: false },
  ])
  assert.deepEqual(notice('w:gp2', '7@g.us', [node('create', {}, [node('group', { subject: 'Team' })])]), [
    { jid: '7@g.us', name: 'Team', hasNewPicture: false },
  ])
  assert.deepEqual(notice('picture', PN, [node('set', { id: '1' })]), [{ jid: PN, name: null, hasNewPicture: true }])
  const settings = node('settings', {}, [node('name', {}, Buffer.from('News'))])
  assert.deepEqual(notice('newsletter', '5@newsletter', [node('update', {}, [settings])]), [
    { jid: '5@newsletter', name: 'News', hasNewPicture: true },
  ])
  const update = { updates: [{ jid: '5@newsletter', settings: { name: 'News' } }] }
  const mex = node('update', { op_name: 'NotificationNewsletterUpdate' }, Buffer.from(JSON.stringify(update)))
  assert.deepEqual(notice('mex', 's.whatsapp.net', [mex]), [{ jid: '5@newsletter', name: 'News', hasNewPicture: true }])
  assert.deepEqual(notice('encrypt', PN, [node('identity', {})]), [])
})

test('changes of the account take effect: the default for new chats, and who sees that we read', async () => {
  const ev = new EventEmitter()
  const updates: unknown[] = []
  let read = 0
  ev.on('creds.update', (update) => updates.push(update))
  const synced = accountSynced({
    sock: {
      ev,
      authState: { creds: { accountSettings: { unarchiveChats: true } } },
    } as never,
    async privacySettings() {
      read++
      throw new Error('no answer')
    },
    devicesChanged: () => assert.fail(),
    log: { info() {} },
  })
  await synced(
    node('notification', { type: 'account_sync' }, [
      node('disappearing_mode', { duration: '86400', t: '1790000000' }),
      node('privacy', {}),
      node('disappearing_mode', { duration: 'odd' }),
    ]),
  )
  assert.deepEqual(updates, [
    {
      accountSettings: {
        unarchiveChats: true,
        defaultDisappearingMode: { ephemeralExpiration: 86_400, ephemeralSettingTimestamp: 1_790_000_000 },
      },
    },
  ])
  assert.equal(read, 1)
})

test('the restriction of new chats (reach-out lock) and linked profiles are read from what the network tells by itself', async () => {
  const locks: unknown[] = []
  const stored: unknown[] = []
  const forgotten: string[] = []
  const translated = handleMex({
    restricted: (lock) => locks.push(lock),
    storePairs: async (pairs) => void stored.push(...pairs),
    pnOf: async (lid) => (lid === LID ? PN : null),
    forgetDevices: async (jid) => void forgotten.push(jid),
    log: { warn() {} },
  })
  const mex = (op_name: string, data: unknown) =>
    translated(node('notification', { type: 'mex' }, [node('update', { op_name }, Buffer.from(JSON.stringify({ data })))]))
  const lock = 'xwa2_notify_account_reachout_timelock'
  await mex('NotificationUserReachoutTimelockUpdate', { [lock]: { is_active: true, time_enforcement_ends: '1790000000' } })
  await mex('NotificationUserReachoutTimelockUpdate', { [lock]: { is_active: false } })
  await mex('NotificationUserReachoutTimelockUpdate', {})
  await mex('NotificationLinkedProfilesUpdates', { xwa2_notify_linked_profiles: { jid: LID, added_profiles: [{ pn: PN }, 3] } })
  await mex('SomethingElse', {})
  // The library ignores this notification, so the service handles it.
  await mex('LidChangeNotification', { xwa2_notify_lid_change: { old: LID, new: '99999999999@lid' } })
  await mex('LidChangeNotification', { xwa2_notify_lid_change: { old: '1@lid', new: '2@lid' } })
  await mex('LidChangeNotification', {})
  assert.deepEqual(forgotten, [LID, '1@lid'])
  assert.deepEqual(stored.slice(-1), [{ lid: '99999999999@lid', pn: PN }], 'the number goes on under the new LID')
  assert.deepEqual(locks, [
    { isActive: true, endsAtSeconds: 1_790_000_000 },
    { isActive: false, endsAtSeconds: null },
  ])
  assert.deepEqual(stored.slice(0, 1), [{ lid: LID, pn: PN }])
})

function tokens() {
  const stored: string[] = []
  const given: string[] = []
  const privacy = createPrivacyTokens({
    store: async (stanza, contact) => void stored.push(`${stanza.tag} ${contact}`),
    giveSoon: (jid) => given.push(jid),
  })
  return { stored, given, privacy }
}

test('a token that a contact gives is stored under the LID, if the notice has it', async () => {
  const ways: [Record<string, string>, string][] = [
    [{ from: PN }, PN],
    [{ from: PN, sender_lid: LID }, LID],
    [{ from: LID }, LID],
  ]
  for (const [attrs, contact] of ways) {
    const { stored, privacy } = tokens()
    await privacy.came(node('notification', { type: 'privacy_token', ...attrs }))
    assert.deepEqual(stored, [`notification ${contact}`])
  }
})

test('after a refusal because of a missing token ours is given, and after another refusal it is not', () => {
  const { given, privacy } = tokens()
  const ack = (error: string) => node('ack', { class: 'message', id: 'A', from: PN, error })
  privacy.refused(ack('479'))
  assert.deepEqual(given, [])
  privacy.refused(ack('463'))
  assert.deepEqual(given, [PN])
})
