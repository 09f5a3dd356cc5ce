import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { node, silenceLibsignal, type TraceLine } from '../../packages/sandbox/src/testing.ts'
import { type Simulator, startSimulator } from '../harness/network.ts'
import { find } from '../harness/nodes.ts'
import { type Client, jidOf, pair, received } from './client.ts'

/**
 * Tests two linked accounts, one of which has two devices. The kind of a stanza decides whether an address without a
 * device means all devices of the account or only one.
 */

silenceLibsignal()
const ANN = '5511900000001'
const BEN = '5511900000002'

let simulator: Simulator
let ann: Client
let annToo: Client
let ben: Client

before(async () => {
  simulator = await startSimulator()
  for (const phone of [ANN, BEN]) simulator.control.createPhone({ phone })
  ann = await pair(simulator, ANN)
  annToo = await pair(simulator, ANN)
  ben = await pair(simulator, BEN)
})

after(async () => {
  for (const client of [ann, annToo, ben]) await client?.close()
  await simulator?.stop()
})

function watch(match: Parameters<Simulator['control']['watch']>[0]): TraceLine[] {
  const lines: TraceLine[] = []
  simulator.control.watch(match, (line) => lines.push(line))
  return lines
}

const until = (client: Client, look: () => boolean, what: string) => client.until(look, what)
const statusOf = (client: Client, id: string) =>
  Math.max(
    0,
    ...(client.events['messages.update'] ?? []).flat().flatMap(({ key, update }) => (key.id === id ? [update.status ?? 0] : [])),
    ...client.messages.flatMap(({ key, status }) => (key.id === id ? [status ?? 0] : [])),
  )

test('whoever asks hears when a linked account comes and goes, under the name it asked for', async () => {
  await ann.socket.presenceSubscribe(jidOf(BEN))
  await ben.socket.sendPresenceUpdate('available')
  const last = () =>
    ann.events['presence.update']?.findLast(({ id }) => id === jidOf(BEN))?.presences[jidOf(BEN)]?.lastKnownPresence
  await until(ann, () => last() === 'available', 'somebody there')
  await ben.socket.sendPresenceUpdate('unavailable')
  await until(ann, () => last() === 'unavailable', 'nobody there')
})

test("a privacy setting that one device changes is told to the account's other devices", async () => {
  const told = watch({ from: 'server', account: ANN, tag: 'notification', type: 'account_sync', child: 'privacy' })
  await ann.socket.updateLastSeenPrivacy('contacts')
  await until(annToo, () => told.length === 1, 'the setting')
  assert.deepEqual(ids(told[0], 'category'), [{ name: 'last', value: 'contacts' }])
})

test('what one account reads reaches the other, and its own other device, and not before', async () => {
  const own = watch({ from: 'server', account: ANN, tag: 'receipt', attrs: { recipient: jidOf(BEN) } })
  const told = watch({ from: 'server', account: BEN, tag: 'receipt', type: 'read' })
  const { key } = (await ben.socket.sendMessage(jidOf(ANN), { text: 'read me' }))!
  const got = await received(ann, 'read me')
  await received(annToo, 'read me')
  await until(ben, () => statusOf(ben, key.id!) === 3, 'delivered')
  assert.equal(told.length, 0, 'nobody looked: the pretend phone of an account with linked devices reads nothing by itself')
  await ann.socket.readMessages([got.key])
  await until(ben, () => statusOf(ben, key.id!) === 4, 'read')
  await until(annToo, () => own.length > 0, 'a receipt for the other device')
  const [, attrs] = own[0]!.node
  assert.deepEqual([attrs.type, attrs.id, attrs.from], ['read', key.id, `${ANN}:1@s.whatsapp.net`])
  const { receipts } = await simulator.control.inbox(BEN, 0, 0)
  assert.ok(receipts.some(({ type, from, ids }) => type === 'read' && from === ANN && ids.includes(key.id!)))
})

const ids = (list: TraceLine | undefined, tag: string): Record<string, string>[] => {
  const [, , content] = list?.node ?? []
  const [inner] = Array.isArray(content) ? content : []
  return Array.isArray(inner?.[2]) ? inner[2].filter(([name]) => name === tag).map(([, attrs]) => attrs) : []
}

const hashOf = (jids: string[]) =>
  `2:${createHash('sha256').update(jids.sort().join('')).digest().subarray(0, 6).toString('base64')}`

test('who comes late is told of the whole group, the others of who came', async () => {
  const { id } = simulator.control.createGroup({ subject: 'Late', owner: ANN, participants: [], addressing: 'lid' })
  const toBen = watch({ from: 'server', account: BEN, tag: 'notification', type: 'w:gp2' })
  const toAnn = watch({ from: 'server', account: ANN, tag: 'notification', type: 'w:gp2' })
  await simulator.control.changeParticipants(id, ANN, 'add', [BEN])
  await until(
    ben,
    () => Boolean(ben.events['groups.upsert']?.flat().some((group) => group.id === id && group.subject === 'Late')),
    'the group',
  )
  const kinds = (lines: TraceLine[]) =>
    lines.map(({ node: [, , content] }) => (Array.isArray(content) ? content[0]?.[0] : undefined))
  assert.deepEqual(kinds(toBen), ['create'])
  assert.deepEqual([...new Set(kinds(toAnn))], ['add'])
})

test('a new device is told to others under the name they asked for, to the own devices as a whole list under both names', async () => {
  const lid = simulator.control.state().phones.map((phone) => phone as { phone: string; lid: string })
  const annLid = lid.find(({ phone }) => phone === ANN)!.lid
  const ask = (jid: string) =>
    node('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' }, [
      node('usync', { sid: '1', mode: 'query', last: 'true', index: '0', context: 'message' }, [
        node('query', {}, [node('devices', { version: '2' })]),
        node('list', {}, [node('user', { jid })]),
      ]),
    ])
  await ben.socket.query(ask(jidOf(ANN)))
  await ben.socket.query(ask(`${annLid}@lid`))
  const notices = watch({ from: 'server', account: BEN, tag: 'notification', type: 'devices' })
  const own = watch({ from: 'server', account: ANN, tag: 'notification', type: 'account_sync', child: 'devices' })
  const third = await pair(simulator, ANN)
  await third.close()
  const byName = (server: string) => notices.find(({ node: [, { from }] }) => from?.endsWith(server))
  await until(ben, () => Boolean(byName('@s.whatsapp.net') && byName('@lid')), 'both notices')
  const numbers = [0, 1, 2, 3].map((id) => `${ANN}.0:${id}@s.whatsapp.net`)
  const lids = [0, 1, 2, 3].map((id) => `${annLid}.0:${id}@lid`)
  const [, , [added] = []] = byName('@s.whatsapp.net')!.node as [string, unknown, [string, Record<string, string>][]]
  assert.deepEqual([added?.[0], added?.[1]], ['add', { device_hash: hashOf(numbers), device_lid_hash: hashOf(lids) }])
  assert.deepEqual(ids(byName('@lid'), 'device'), [{ jid: `${annLid}:3@lid`, 'key-index': '3' }])
  // Each of the two devices receives two lists: one with the devices under the number, and one with those under the
  // LID.
  await until(ann, () => own.length >= 4, 'the lists for both own devices')
  const devicesOf = (line: TraceLine) => ids(line, 'device').map(({ jid }) => jid)
  for (const [name, server, hash] of [
    [ANN, 's.whatsapp.net', hashOf(numbers)],
    [annLid, 'lid', hashOf(lids)],
  ] as const) {
    const listed = own.filter(({ node: [, { from }] }) => from === `${name}@${server}`)
    const devices = [`${name}@${server}`, ...[1, 2, 3].map((id) => `${name}:${id}@${server}`)]
    assert.deepEqual(listed.map(devicesOf), [devices, devices])
    const [, , [list] = []] = listed[0]!.node as [string, unknown, [string, Record<string, string>][]]
    assert.equal(list?.[1].dhash, hash)
  }
})

test('keys of devices that are missing are fetched by account', async () => {
  const user = node('user', { jid: jidOf(ANN) }, [node('device', { id: '1' }, [node('registration', {}, Buffer.alloc(4))])])
  const answer = await ben.socket.query(
    node('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'encrypt' }, [node('key_fetch', {}, [user])]),
  )
  const devices = find(answer, 'list', 'user')?.content as BinaryNode[]
  assert.deepEqual(
    devices.map(({ attrs }) => attrs.id),
    ['0', '1', '2', '3'],
    'the one that is known under another registration, too',
  )
  for (const device of devices) assert.ok(find(device, 'identity') && find(device, 'skey', 'signature'))
})

test('a query is known by the part that matters, wherever it stands', async () => {
  const parts = [node('type', {}, Buffer.from([5])), node('list', {}, []), node('registration', {}, Buffer.alloc(4, 1))]
  const answer = await ben.socket.query(node('iq', { to: '@s.whatsapp.net', type: 'set', xmlns: 'encrypt' }, parts))
  assert.equal(answer.attrs.type, 'result')
  assert.deepEqual(simulator.control.stats().unknown_queries, [])
})
