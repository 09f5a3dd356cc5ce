/**
 * A text to a person whose devices and sessions are all known: each device can read it. If anything is unknown, the library handles it, unchanged.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type BinaryNode, proto, unpadRandomMax16, type WASocket } from '@whiskeysockets/baileys'
import { systemClock } from '../../../../src/domain/clock.ts'
import { createDeviceLists, type Device } from '../../../../workers/shard/connection/device-lists.ts'
import { createIdentity } from '../../../../workers/shard/connection/identity.ts'
import { createPersonRelay } from '../../../../workers/shard/connection/socket/person-relay.ts'
import { createSignalDevice } from '../../../../workers/simulator/people/signal-device.ts'
import { type Disk, GATEWAY, openDisk, openGateway, session } from '../../keys/signal/gateway.ts'

const ME = { id: '5511900000000:3@s.whatsapp.net', lid: '100000000000001:3@lid' }
const ANA = '200000000000001@lid'
const NOW = Math.floor(Date.now() / 1_000)
const STANZA = { to: ANA, attributes: { type: 'text' }, enc: {}, nodes: [{ tag: 'meta', attrs: {} }] }

let disk: Disk
before(async () => {
  disk = await openDisk()
})
after(() => disk.close())

const device = (user: string, number: number): Device => ({ user, server: 'lid', device: number })
const child = (node: BinaryNode | undefined, tag: string) =>
  (node?.content as BinaryNode[] | undefined)?.find((each) => each.tag === tag)
let count = 0

/** Ana has two devices, we a phone and this one; sessions with all of them but `without`. */
async function known({ without }: { without?: string } = {}) {
  const { repository, keys, auth, creds } = await openGateway({ store: disk.store, instanceId: `relay${++count}` })
  Object.assign(creds, { me: ME, account: { details: new Uint8Array([1]), accountSignature: new Uint8Array([2]) } })
  const state = auth.forSocket(creds)
  const people = new Map<string, ReturnType<typeof createSignalDevice>>()
  for (const jid of [ANA, '200000000000001:7@lid', '100000000000001@lid']) {
    people.set(jid, createSignalDevice())
    if (jid !== without) await repository.injectE2ESession({ jid, session: session(people.get(jid)!) })
  }
  const devices = createDeviceLists(systemClock)
  devices.cache.set('200000000000001', [device('200000000000001', 0), device('200000000000001', 7)])
  devices.cache.set('100000000000001', [device('100000000000001', 0), device('100000000000001', 3)])
  await state.keys.set({ tctoken: { [ANA]: { token: Buffer.from('token'), timestamp: String(NOW), senderTimestamp: NOW } } })
  const left: BinaryNode[] = []
  const sock = {
    sendNode: async (node: BinaryNode) => void left.push(node),
    signalRepository: repository,
    serverProps: { privacyTokenOn1to1: true },
  } as unknown as WASocket
  const relay = createPersonRelay({ sock, auth: state, identity: createIdentity(state), devices })
  return { relay, left, keys, state, devices, people }
}

const message = (text: string): proto.IMessage => ({
  extendedTextMessage: { text },
  messageContextInfo: { messageSecret: new Uint8Array(32).fill(5) },
})

test('each device reads it, ours as what we sent, and their sessions go on', async () => {
  const { relay, left, people } = await known()
  for (const text of ['one', 'two', 'three']) {
    assert.equal(await relay(`id ${text}`, message(text), STANZA), true)
    const stanza = left.at(-1)
    assert.deepEqual(stanza?.attrs, { id: `id ${text}`, to: ANA, type: 'text' })
    const sealed = child(stanza, 'participants')!.content as BinaryNode[]
    assert.deepEqual(sealed.map(({ attrs }) => attrs.jid).sort(), [...people.keys()].sort())
    for (const { attrs, content } of sealed) {
      const [enc] = content as BinaryNode[]
      const plain = await people.get(attrs.jid!)!.decrypt(GATEWAY, enc!.attrs.type as 'msg', enc!.content as Uint8Array)
      const opened = proto.Message.decode(unpadRandomMax16(plain))
      const sent = opened.deviceSentMessage
      assert.equal(sent?.destinationJid, attrs.jid === '100000000000001@lid' ? ANA : undefined)
      assert.equal((sent?.message ?? opened).extendedTextMessage?.text, text)
      assert.deepEqual([...opened.messageContextInfo!.messageSecret!], [...new Uint8Array(32).fill(5)])
    }
    // Until the first answer, messages of a session contain our identity.
    assert.deepEqual(
      (stanza!.content as BinaryNode[]).map(({ tag }) => tag),
      ['participants', 'device-identity', 'reporting', 'tctoken', 'meta'],
    )
  }
})

describe('the library has to send where', () => {
  type Known = Awaited<ReturnType<typeof known>>
  const cases: readonly [what: string, change: (of: Known) => unknown, to?: string][] = [
    ['the devices of the person are not known', ({ devices }) => devices.drop([ANA])],
    ['our own are not', ({ devices }) => devices.drop([ME.lid])],
    [
      'a device is listed twice',
      ({ devices }) => devices.cache.set('200000000000001', [device('200000000000001', 0), device('200000000000001', 0)]),
    ],
    ['no token was given yet', ({ state }) => state.keys.set({ tctoken: { [ANA]: null } })],
    [
      'ours is of an earlier week',
      ({ state }) => state.keys.set({ tctoken: { [ANA]: { token: Buffer.alloc(0), senderTimestamp: NOW - 700_000 } } }),
    ],
    [
      'theirs has lapsed',
      ({ state }) => state.keys.set({ tctoken: { [ANA]: { token: Buffer.from('old'), timestamp: '1', senderTimestamp: NOW } } }),
    ],
    ['it is for ourselves', () => {}, '100000000000001@lid'],
    ['it is for one device', () => {}, '200000000000001:7@lid'],
    ['it is for a group', () => {}, '120363019502650977@g.us'],
  ]
  for (const [what, change, to = ANA] of cases)
    test(what, async () => {
      const all = await known()
      await change(all)
      const before = await all.keys.get('session', '200000000000001_1.0')
      assert.equal(await all.relay('id', message('x'), { ...STANZA, to }), false)
      assert.deepEqual(all.left, [])
      assert.deepEqual(await all.keys.get('session', '200000000000001_1.0'), before)
    })

  test('a device has no session: those of the others are as they were', async () => {
    const { relay, left, keys } = await known({ without: '200000000000001:7@lid' })
    const before = await keys.get('session', '200000000000001_1.0')
    assert.ok(before)
    assert.equal(await relay('id', message('x'), STANZA), false)
    assert.deepEqual(left, [])
    assert.deepEqual(await keys.get('session', '200000000000001_1.0'), before)
  })
})
