import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createDeviceLists } from '../../../../workers/shard/connection/device-lists.ts'
import { accountSynced } from '../../../../workers/shard/receive/effects/account-sync.ts'
import { createDevices, type DeviceDeps } from '../../../../workers/shard/receive/effects/devices.ts'
import type { Device } from '../../../../workers/shard/wire/device-list.ts'

const [PN, LID] = ['5511988880001', '81896604190001']
const [OWN_PN, OWN_LID] = ['5511999990000', '81896604190000']
const GROUP = '120363019502650977@g.us'
const PAIRS: Readonly<Record<string, string>> = { [PN]: LID, [OWN_PN]: OWN_LID }

function bench() {
  const lists = createDeviceLists({ now: () => 0 })
  const deleted: string[][] = []
  const forgotten: string[] = []
  const devices = createDevices({
    sock: {
      signalRepository: { deleteSession: async (jids: string[]) => void deleted.push(jids) },
    } as unknown as DeviceDeps['sock'],
    identity: {
      lidOf: async (jid) => (PAIRS[jid.split('@')[0]!] ? `${PAIRS[jid.split('@')[0]!]}@lid` : null),
      pnOf: async (jid) => {
        const found = Object.entries(PAIRS).find(([, lid]) => jid.startsWith(lid))
        return found ? `${found[0]}@s.whatsapp.net` : null
      },
      own: () => [`${OWN_PN}@s.whatsapp.net`, `${OWN_LID}@lid`],
    },
    lists,
    groups: {
      known: () => ({ participants: [{ id: `${LID}@lid` }, { id: '77@lid' }] }) as never,
      forget: (jid) => forgotten.push(jid),
    },
  })
  const fill = () => {
    for (const user of [PN, LID, OWN_PN, OWN_LID, '77', '88']) lists.keep(user, [])
  }
  const left = () => [PN, LID, OWN_PN, OWN_LID, '77', '88'].filter((user) => lists.known(user) !== undefined)
  fill()
  return { devices, deleted, forgotten, fill, left }
}

const notice = (attrs: Record<string, string>, change: BinaryNode): BinaryNode => ({
  tag: 'notification',
  attrs: { id: 'N', type: 'devices', ...attrs },
  content: [change],
})
const device = (jid: string, lid?: string): BinaryNode => ({ tag: 'device', attrs: { jid, ...(lid ? { lid } : {}) } })

// An earlier bug: if a notification named the number and the list was stored under the LID, messages did not reach the
// new device.
test('a new device makes the stored list invalid under the number and under the LID, whichever the notice names', async () => {
  for (const from of [`${PN}@s.whatsapp.net`, `${LID}@lid`]) {
    const { devices, deleted, left } = bench()
    await devices.changed(notice({ from }, { tag: 'add', attrs: {}, content: [device(`${PN}:7@s.whatsapp.net`)] }))
    assert.deepEqual([left(), deleted], [[OWN_PN, OWN_LID, '77', '88'], []])
  }
})

test('the sessions of a removed device are deleted, under both of its names', async () => {
  const { devices, deleted, left } = bench()
  const gone = [`${PN}:7@s.whatsapp.net`, `${LID}:7@lid`] as const
  await devices.changed(notice({ from: `${PN}@s.whatsapp.net` }, { tag: 'remove', attrs: {}, content: [device(...gone)] }))
  assert.deepEqual([left(), deleted], [[OWN_PN, OWN_LID, '77', '88'], [[...gone]]])
})

test('the stored list is dropped if it changed in an unknown way, and so is the own one when the account is synchronised', async () => {
  const { devices, left, fill } = bench()
  await devices.changed(notice({ from: `${LID}@lid` }, { tag: 'update', attrs: { hash: 'abcd' } }))
  assert.deepEqual(left(), [OWN_PN, OWN_LID, '77', '88'])
  fill()
  const synced = accountSynced({
    sock: {} as never,
    privacySettings: () => assert.fail(),
    devicesChanged: devices.changed,
    log: { info() {} },
  })
  await synced({
    tag: 'notification',
    attrs: { type: 'account_sync', from: `${OWN_PN}@s.whatsapp.net` },
    content: [{ tag: 'devices', attrs: { dhash: '2:x' }, content: [device(`${OWN_PN}:9@s.whatsapp.net`)] }],
  })
  assert.deepEqual(left(), [PN, LID, '77', '88'])
})

const ack = (from: string, phash?: string): BinaryNode => ({
  tag: 'ack',
  attrs: { id: 'A', class: 'message', from, ...(phash ? { phash } : {}) },
})

test('an ack with another hash of the devices than the last drops the lists of that chat and our own, once', async () => {
  const { devices, left, fill, forgotten } = bench()
  await devices.acked(ack(`${LID}@lid`))
  assert.equal(left().length, 6)
  await devices.acked(ack(`${LID}@lid`, '2:aaaa'))
  assert.deepEqual(left(), ['77', '88'])
  fill()
  await devices.acked(ack(`${LID}@lid`, '2:aaaa'))
  assert.equal(left().length, 6)
  await devices.acked(ack(`${LID}@lid`, '2:bbbb'))
  assert.deepEqual(left(), ['77', '88'])
  fill()
  await devices.acked(ack(GROUP, '2:cccc'))
  // Notifications report the changes of a group's members. So the first hash of the members on a connection is only
  // stored, and does not count as a change.
  assert.deepEqual([left(), forgotten.includes(GROUP)], [['88'], false])
  await devices.acked(ack(GROUP, '2:dddd'))
  assert.equal(forgotten.at(-1), GROUP)
})

const PHONE: Device[] = [{ user: PN, server: 's.whatsapp.net', device: 0 }]

test('a list counts for five minutes', () => {
  let now = 0
  const lists = createDeviceLists({ now: () => now })
  lists.keep(PN, PHONE)
  now = 5 * 60_000 - 1
  assert.deepEqual(lists.known(PN), PHONE)
  now++
  assert.equal(lists.known(PN), undefined)
})

test('what was made of the lists of a group counts until one of them is another', async () => {
  let now = 0
  const lists = createDeviceLists({ now: () => now })
  const fill = () => {
    for (const user of [PN, LID]) lists.keep(user, [])
  }
  const people = [`${PN}@s.whatsapp.net`, `${LID}@lid`]
  const group = { participants: people.map((id) => ({ id })) }
  let made = 0
  const make = async () => ({ jids: [], hash: String(++made) })
  const result = async (own = 'me', of = group) => Number((await lists.ofGroup(of, own, make)).hash)
  assert.deepEqual([await result(), await result()], [1, 2], 'nobody has a list')
  fill()
  assert.deepEqual([await result(), await result()], [3, 3])
  assert.equal(await result('another'), 4)
  assert.equal(await result('me', { ...group }), 5, 'the group is another')
  assert.equal(await result('another'), 4)
  lists.keep(LID, PHONE)
  assert.deepEqual([await result('another'), await result('another')], [6, 6])
  lists.drop([people[0]!])
  assert.deepEqual([await result('another'), await result('another')], [7, 8])
  fill()
  assert.deepEqual([await result(), await result()], [9, 9])
  lists.keep('somebody else', [])
  assert.equal(await result(), 9)
  now = 5 * 60_000
  assert.equal(await result(), 10)
})
