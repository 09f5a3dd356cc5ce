import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type BinaryNode, encodeBigEndian, proto, unpadRandomMax16 } from '@whiskeysockets/baileys'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { systemClock } from '../../../../src/domain/clock.ts'
import { StorageFailure } from '../../../../src/domain/storage-failure.ts'
import { createDeviceLists } from '../../../../workers/shard/connection/device-lists.ts'
import { createIdentity, learnPairs } from '../../../../workers/shard/connection/identity.ts'
import { createAskPhone } from '../../../../workers/shard/connection/relay/ask-phone.ts'
import { createDeviceSessions } from '../../../../workers/shard/connection/relay/device-sessions.ts'
import { createMessageRelay, type Relayed } from '../../../../workers/shard/connection/relay/message-relay.ts'
import { createRecipientDevices } from '../../../../workers/shard/connection/relay/recipient-devices.ts'
import { createKeyHolders } from '../../../../workers/shard/keys/key-holders.ts'
import type { NetworkSocket } from '../../../../workers/shard/network/network-socket.ts'
import type { Device } from '../../../../workers/shard/wire/device-list.ts'
import type { Group } from '../../../../workers/shard/wire/groups.ts'
import { type Disk, GATEWAY, openDisk, openGateway, session } from '../../keys/signal/gateway.ts'

const ME = { id: '5511900000000:3@s.whatsapp.net', lid: '100000000000001:3@lid' }
const PHONE = '100000000000001@lid'
const ANA = '200000000000001@lid'
const ANA_TABLET = '200000000000001:7@lid'
const GROUP = '120363019502650977@g.us'
const STATUS = 'status@broadcast'

let disk: Disk
before(async () => {
  disk = await openDisk()
})
after(() => disk.close())

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode => ({
  tag,
  attrs,
  ...(content === undefined ? {} : { content }),
})
const device = (user: string, number: number): Device => ({ user, server: 'lid', device: number })
const child = (node: BinaryNode | undefined, tag: string) =>
  (node?.content as BinaryNode[] | undefined)?.find((each) => each.tag === tag)
const children = (node: BinaryNode | undefined) => (node?.content ?? []) as BinaryNode[]
const tags = (node: BinaryNode | undefined) => children(node).map(({ tag }) => tag)
let count = 0

function keysOf(jid: string, person: ReturnType<typeof createSignalDevice>): BinaryNode {
  const { registrationId, identity, signedPreKey, preKey } = person.bundle(true)
  const key = (tag: string, { id, publicKey }: { id: number; publicKey: Uint8Array }, more: BinaryNode[] = []) =>
    node(tag, {}, [node('id', {}, encodeBigEndian(id, 3)), node('value', {}, publicKey), ...more])
  return node('user', { jid }, [
    node('registration', {}, encodeBigEndian(registrationId, 4)),
    node('identity', {}, identity),
    key('skey', signedPreKey, [node('signature', {}, signedPreKey.signature)]),
    ...(preKey ? [key('key', preKey)] : []),
  ])
}

/**
 * Creates Ana with two devices, the account's own phone, and this device. By default, their sessions and device lists
 * are already known.
 */
async function world({ sessions: begun = true, lists: listed = true }: { sessions?: boolean; lists?: boolean } = {}) {
  const { repository, keys, auth, creds } = await openGateway({ store: disk.store, instanceId: `relay${++count}` })
  Object.assign(creds, { me: ME, account: { details: new Uint8Array([1]), accountSignature: new Uint8Array([2]) } })
  const state = auth.forSocket(creds)
  const people = new Map([ANA, ANA_TABLET, PHONE].map((jid) => [jid, createSignalDevice()]))
  if (begun) for (const [jid, person] of people) await repository.injectE2ESession({ jid, session: session(person) })
  const lists = createDeviceLists(systemClock)
  if (listed) {
    lists.keep('200000000000001', [device('200000000000001', 0), device('200000000000001', 7)])
    lists.keep('100000000000001', [device('100000000000001', 0)])
  }
  const left: BinaryNode[] = []
  const asked: string[] = []
  const given: string[] = []
  const devicesOf: Record<string, string[]> = { [ANA]: ['0', '7'], [PHONE]: ['0', '3'] }
  const world = { isDue: false, without: new Set<string>() }

  async function query(question: BinaryNode): Promise<BinaryNode> {
    const { xmlns } = question.attrs
    if (xmlns === 'encrypt') {
      const wanted = children(child(question, 'key')).map(({ attrs }) => attrs.jid!)
      asked.push(`keys ${wanted.join()}`)
      const users = wanted.map((jid) =>
        people.has(jid) && !world.without.has(jid)
          ? keysOf(jid, people.get(jid)!)
          : node('user', { jid }, [node('error', { code: '404', text: 'item-not-found' })]),
      )
      return node('iq', { type: 'result' }, [node('list', {}, users)])
    }
    const wanted = children(child(child(question, 'usync'), 'list')).map(({ attrs }) => attrs.jid!)
    asked.push(`devices ${wanted.join()}`)
    const users = wanted.map((jid) =>
      node('user', { jid }, [
        node('devices', {}, [
          node(
            'device-list',
            {},
            (devicesOf[jid] ?? []).map((id) => node('device', { id, 'key-index': '1' })),
          ),
        ]),
      ]),
    )
    return node('iq', { type: 'result' }, [node('usync', {}, [node('list', {}, users)])])
  }

  const sock = {
    sendNode: async (stanza: BinaryNode) => void left.push(stanza),
    signalRepository: repository,
  } as unknown as NetworkSocket
  const identity = createIdentity(state)
  const sessions = createDeviceSessions({ query, repository, fetchLids: async () => [] })
  const devices = createRecipientDevices({
    query,
    tag: () => 'sid',
    auth: state,
    lists,
    learnPairs: (pairs) => learnPairs(sock, state.keys, pairs),
    log: { debug() {} },
  })
  const holders = createKeyHolders(keys, state.keys)
  const tokens = {
    inMessage: async () => ({ nodes: [node('tctoken', {}, Buffer.from('token'))], isDue: world.isDue }),
    giveSoon: (jid: string) => void given.push(jid),
  }
  const relay = createMessageRelay({ sock, auth: state, identity, devices, sessions, tokens, holders })
  const askPhone = createAskPhone({ sock, auth: state, sessions })
  return Object.assign(world, { relay, askPhone, left, asked, given, people, keys, holders, lists, devicesOf, repository })
}

const message = (text: string): proto.IMessage => ({
  extendedTextMessage: { text },
  messageContextInfo: { messageSecret: new Uint8Array(32).fill(5) },
})
const relayed = (text: string, to = ANA): Relayed => ({
  id: `id ${text}`,
  message: message(text),
  stanza: { to, attributes: { type: 'text' }, enc: { mediatype: 'url' }, nodes: [node('meta')] },
})
const group = (...members: string[]) =>
  ({ id: GROUP, addressingMode: 'lid', participants: members.map((id) => ({ id })) }) as unknown as Group

type World = Awaited<ReturnType<typeof world>>

async function read({ people }: Pick<World, 'people'>, stanza: BinaryNode | undefined) {
  const found = new Map<string, proto.IMessage>()
  for (const { attrs, content } of children(child(stanza, 'participants'))) {
    const [enc] = content as BinaryNode[]
    assert.deepEqual(enc!.attrs, { v: '2', type: enc!.attrs.type, mediatype: 'url' })
    const plain = await people.get(attrs.jid!)!.decrypt(GATEWAY, enc!.attrs.type as 'msg', enc!.content as Uint8Array)
    found.set(attrs.jid!, proto.Message.decode(unpadRandomMax16(plain)))
  }
  return found
}

describe('to a person', () => {
  test('each device reads it, ours as what we sent, and their sessions go on', async () => {
    const all = await world()
    for (const text of ['one', 'two', 'three']) {
      await all.relay.toPerson(relayed(text))
      const stanza = all.left.at(-1)
      assert.deepEqual(stanza?.attrs, { id: `id ${text}`, to: ANA, type: 'text' })
      const opened = await read(all, stanza)
      assert.deepEqual([...opened.keys()].sort(), [PHONE, ANA, ANA_TABLET].sort())
      for (const [jid, plain] of opened) {
        assert.equal(plain.deviceSentMessage?.destinationJid, jid === PHONE ? ANA : undefined)
        assert.equal((plain.deviceSentMessage?.message ?? plain).extendedTextMessage?.text, text)
        assert.deepEqual([...plain.messageContextInfo!.messageSecret!], [...new Uint8Array(32).fill(5)])
      }
      // As long as a device has not answered, each message to it also contains the identity of the sender.
      assert.deepEqual(tags(stanza), ['participants', 'device-identity', 'reporting', 'tctoken', 'meta'])
    }
    assert.deepEqual([all.asked, all.given], [[], []])
  })

  test('devices and keys that are not known are queried once, by one query each', async () => {
    const all = await world({ sessions: false, lists: false })
    await all.relay.toPerson(relayed('one'))
    await all.relay.toPerson(relayed('two'))
    assert.deepEqual(all.asked, [`devices ${PHONE},${ANA}`, `keys ${PHONE},${ANA},${ANA_TABLET}`])
    for (const stanza of all.left) assert.equal((await read(all, stanza)).size, 3)
  })

  test('a device without keys is omitted, and the others get the message', async () => {
    const all = await world({ sessions: false })
    all.without.add(ANA_TABLET)
    await all.relay.toPerson(relayed('one'))
    assert.deepEqual([...(await read(all, all.left[0])).keys()].sort(), [PHONE, ANA].sort())
  })

  test('a message that no device of the person can get is not sent', async () => {
    const all = await world({ sessions: false })
    all.without.add(ANA).add(ANA_TABLET)
    await assert.rejects(all.relay.toPerson(relayed('one')), /could not be encrypted for any device/)
    assert.deepEqual(all.left, [])
  })

  test('a disk that refuses a commit omits nobody: the message fails', async () => {
    const all = await world({ sessions: false })
    await all.relay.toPerson(relayed('one'))
    const failure = new StorageFailure('state: the disk is full')
    all.keys.commit = () => Promise.reject(failure)
    all.keys.commitTogether = () => Promise.reject(failure)
    await assert.rejects(all.relay.toPerson(relayed('two')), (thrown) => thrown === failure)
    all.lists.drop([ANA])
    await assert.rejects(all.relay.toPerson(relayed('three')), (thrown) => thrown === failure)
    assert.equal(all.left.length, 1)
  })

  test('an account whose devices the network does not list has a phone', async () => {
    const all = await world()
    all.lists.drop([ANA])
    all.devicesOf[ANA] = []
    await all.relay.toPerson(relayed('one'))
    assert.deepEqual([...(await read(all, all.left[0])).keys()].sort(), [PHONE, ANA].sort())
  })

  test('a note to ourselves goes to our other devices', async () => {
    const all = await world()
    all.isDue = true
    await all.relay.toPerson(relayed('one', PHONE))
    assert.deepEqual([...(await read(all, all.left[0])).keys()], [PHONE])
    assert.deepEqual(all.given, [])
  })

  test('a person who is due to get our token gets it after the message, and not for a setting', async () => {
    const all = await world()
    all.isDue = true
    const setting = { ...relayed('one'), message: { protocolMessage: { type: 3, ephemeralExpiration: 60 } } }
    await all.relay.toPerson(setting)
    assert.deepEqual(all.given, [])
    await all.relay.toPerson(relayed('two'))
    assert.deepEqual(all.given, [ANA])
  })
})

describe('to a group', () => {
  const toGroup = (all: World, text: string, ...members: string[]) => all.relay.toGroup(relayed(text, GROUP), group(...members))

  test('one ciphertext for all, and its key for the devices that lack it', async () => {
    const all = await world({ lists: false, sessions: false })
    await toGroup(all, 'one', PHONE, ANA)
    const [first] = all.left
    assert.deepEqual(first?.attrs, { id: 'id one', to: GROUP, type: 'text', addressing_mode: 'lid' })
    assert.deepEqual(tags(first), ['enc', 'participants', 'device-identity', 'reporting', 'meta'])
    assert.deepEqual(children(first)[0]!.attrs, { v: '2', type: 'skmsg', mediatype: 'url' })
    const keys = await read(all, first)
    assert.deepEqual([...keys.keys()].sort(), [PHONE, ANA, ANA_TABLET].sort())
    for (const { senderKeyDistributionMessage: key } of keys.values()) assert.equal(key?.groupId, GROUP)
    await toGroup(all, 'two', PHONE, ANA)
    assert.deepEqual(tags(all.left[1]), ['enc', 'reporting', 'meta'])
    assert.equal(all.asked.length, 2)
  })

  test('a device that asked for it again gets the key again', async () => {
    const all = await world()
    await toGroup(all, 'one', ANA)
    await all.holders.forget(GROUP, [ANA_TABLET])
    await toGroup(all, 'two', ANA)
    assert.deepEqual([...(await read(all, all.left[1])).keys()], [ANA_TABLET])
  })

  test('a device without keys does not keep the others from any message, and gets the key when it requests one again', async () => {
    const all = await world({ sessions: false })
    await toGroup(all, 'one', PHONE)
    all.without.add(ANA).add(ANA_TABLET)
    // Devices for which the network has no keys are left out of the message.
    await toGroup(all, 'two', PHONE, ANA)
    await toGroup(all, 'three', PHONE, ANA)
    assert.deepEqual(all.left.slice(1).map(tags), Array(2).fill(['enc', 'reporting', 'meta']))
    assert.equal(all.asked.length, 2, 'its keys are queried once')
    all.without.clear()
    await all.holders.forget(GROUP, [ANA_TABLET])
    await toGroup(all, 'four', PHONE, ANA)
    assert.deepEqual([...(await read(all, all.left[3])).keys()], [ANA_TABLET])
  })

  test('a message for which no device of the group can get the key is not sent', async () => {
    const all = await world({ sessions: false })
    all.without.add(ANA).add(ANA_TABLET)
    await assert.rejects(toGroup(all, 'one', ANA), /could not be encrypted for any device/)
    assert.deepEqual(all.left, [])
  })

  test('after a message that the network refused, those who would have got the key with it get it with the next', async () => {
    const all = await world()
    await toGroup(all, 'one', PHONE)
    const takeBack = await toGroup(all, 'two', PHONE, ANA)
    await takeBack()
    await toGroup(all, 'three', PHONE, ANA)
    assert.deepEqual([...(await read(all, all.left[2])).keys()].sort(), [ANA, ANA_TABLET].sort())
    const none = await toGroup(all, 'four', PHONE, ANA)
    await none()
    await toGroup(all, 'five', PHONE, ANA)
    assert.deepEqual(tags(all.left[4]), ['enc', 'reporting', 'meta'])
  })

  test('after a stanza that could not be written, the key is sent again', async () => {
    const all = await world()
    const { push } = all.left
    all.left.push = () => {
      throw new Error('Connection Closed')
    }
    await assert.rejects(toGroup(all, 'one', ANA), /Connection Closed/)
    all.left.push = push
    await toGroup(all, 'two', ANA)
    assert.equal(children(child(all.left[0], 'participants')).length, 2)
  })
})

test('each device of an audience gets the key with every post', async () => {
  const all = await world()
  for (const text of ['one', 'two']) {
    await all.relay.toAudience(relayed(text, STATUS), [PHONE, ANA], false)
    const stanza = all.left.at(-1)
    assert.deepEqual(stanza?.attrs, { id: `id ${text}`, to: STATUS, type: 'text' })
    assert.equal((await read(all, stanza)).size, 3)
  }
  assert.equal(await all.holders.has(STATUS, [ANA_TABLET]), true)
})

test('people of a further stanza of a status are added to its audience, and the next status has only its own', async () => {
  const all = await world()
  await all.relay.toAudience(relayed('one', STATUS), [PHONE], false)
  await all.relay.toAudience(relayed('one', STATUS), [ANA], true)
  for (const jid of [PHONE, ANA]) assert.equal(await all.holders.has(STATUS, [jid]), true, jid)
  await all.relay.toAudience(relayed('two', STATUS), [ANA], false)
  assert.equal(await all.holders.has(STATUS, [PHONE]), false)
})

test('a device of a hosted account gets no key of a status', async () => {
  const all = await world()
  const hosted: Device = { user: '200000000000001', server: 'hosted.lid', device: 99 }
  all.lists.keep('200000000000001', [device('200000000000001', 0), device('200000000000001', 7), hosted])
  await all.relay.toAudience(relayed('one', STATUS), [PHONE, ANA], false)
  assert.deepEqual([(await read(all, all.left[0])).size, all.asked], [3, []])
  assert.equal(await all.holders.has(STATUS, [ANA_TABLET]), true)
})

test('the phone is asked in a message to its own number, which it reads', async () => {
  const all = await world({ sessions: false })
  const phone = '5511900000000@s.whatsapp.net'
  all.people.set(phone, createSignalDevice())
  await all.askPhone({ peerDataOperationRequestType: 4 })
  assert.deepEqual(all.asked, [`keys ${phone}`])
  const [stanza] = all.left
  assert.deepEqual(
    { ...stanza!.attrs, id: 'id' },
    { id: 'id', to: phone, type: 'text', category: 'peer', push_priority: 'high_force' },
  )
  assert.deepEqual(tags(stanza), ['enc', 'device-identity', 'meta'])
  const [enc] = children(stanza)
  const plain = await all.people.get(phone)!.decrypt(GATEWAY, enc!.attrs.type as 'pkmsg', enc!.content as Uint8Array)
  const { deviceSentMessage } = proto.Message.decode(unpadRandomMax16(plain))
  assert.equal(deviceSentMessage?.message?.protocolMessage?.peerDataOperationRequestMessage?.peerDataOperationRequestType, 4)
})
