/** Tests how the service handles facts of the network that the library ignores (docs/wire-facts.md). */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { after, before, test } from 'node:test'
import { image } from '../harness/media-files.ts'
import { addressesOf, chatOf } from '../harness/places.ts'
import { type Json, type Stage, startStage } from '../harness/stage.ts'

const ME = '5511999990170'
const ANA = '5511988880171'
const BEN = '5511988880172'
const CARL = '5511988880173'
const DORA = '5511988880174'
const STRANGER = '5511988880175'
const SALT = Buffer.from('the salt of the phone')

type Node = [tag: string, attrs: Record<string, string>, content?: unknown]

let stage: Stage
before(async () => {
  stage = await startStage(ME, { nct_salt: SALT.toString('base64') })
  await stage.world.sandbox.settings({ receipts: 'none' })
  for (const phone of [ANA, BEN, CARL, DORA]) await stage.world.sandbox.createContact(phone, { name: 'Somebody' })
})
// One copy in these tests cannot be decrypted: a new member of a group, whom the service does not know, first receives
// a ciphertext without the sender key.
after(() => stage.world.stop({ undecryptable: 1 }))

/** Returns a function that resolves with the first `count` matching stanzas that the gateway sends from now on. */
async function expecting(match: Json, count = 1): Promise<() => Promise<Node[]>> {
  const { post } = stage.world.sandbox
  const { id } = await post<{ id: string }>('/expect', { match: { from: 'client', account: ME, ...match }, count, wait_ms: 0 })
  return async () => {
    const { items } = await stage.world.sandbox.get<{ items: { node: Node }[] }>(`/expect/${id}?wait_ms=10000`)
    return items.map(({ node }) => node)
  }
}
async function lying(path: string): Promise<Buffer> {
  const { media_host, ca } = stage.world.network.network
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`https://${media_host}${path}`, { ca: readFileSync(ca) }, resolve).on('error', reject)
  })
  assert.equal(answer.statusCode, 200)
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

const children = ([, , content]: Node, tag: string) => ((content ?? []) as Node[]).filter(([name]) => name === tag)

async function createGroup(participants: readonly string[]) {
  const { id } = await stage.world.sandbox.createGroup({ subject: 'Team', owner: BEN, participants, addressing: 'lid' })
  return { id, phone: chatOf(id) }
}

async function rememberedAs(id: string, phones: readonly string[]) {
  const all = await addressesOf(stage.world.sandbox)
  const members = phones.map((phone) => ['participant', { jid: all[phone]!.lid, phone_number: all[phone]!.pn }])
  const group = ['group', { id: id.split('@')[0], subject: 'Team', creation: '1', s_t: '1', addressing_mode: 'lid' }, members]
  await stage.world.sandbox.post('/answers', { match: { xmlns: 'w:g2', type: 'get' }, do: { result: [group] }, times: 1 })
}

test('3: a message to a person by LID names the number beside it', async () => {
  // The message contains both JIDs of its sender. So the service learns that the phone-number JID and the LID JID
  // belong to the same person.
  const { id } = await stage.world.sandbox.send(ANA, ME, { text: 'hello' })
  await stage.world.receiver.waitFor('the message', ({ type, message_id }) => type === 'received' && message_id === id)
  const sent = await expecting({ tag: 'message' })
  await stage.shown('/send-text', { phone: ANA, message: 'who is who' })
  const [node] = await sent()
  const { [ANA]: ana } = await addressesOf(stage.world.sandbox)
  assert.equal(node?.[1].to, ana?.lid)
  assert.equal(node?.[1].peer_recipient_pn, ana?.pn)
})

test('5: a poll with one choice has a separate message type', async () => {
  const poll = { phone: ANA, question: 'Which?', options: ['a', 'b', 'c'] }
  const one = await stage.shown('/send-poll', { ...poll, poll_max_options: 1 })
  assert.ok(one.proto.pollCreationMessageV3)
  const two = await stage.shown('/send-poll', { ...poll, poll_max_options: 2 })
  assert.ok(two.proto.pollCreationMessage)
})

test('7: in a channel, a link with a preview is media of the type url', async () => {
  const { id } = await stage.world.sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'News' })
  const sent = await expecting({ tag: 'message', attrs: { to: id } })
  const link = { message: 'see', link_url: 'https://site.example/', title: 'Site', link_description: 'All of it' }
  assert.equal((await stage.outcome('/send-link', { phone: id, ...link })).status, 'sent')
  const [node] = await sent()
  assert.equal(node?.[1].type, 'media')
  assert.equal(children(node!, 'plaintext')[0]?.[1].mediatype, 'url')
})

test('9: a member whom the network knows and the service does not gets the message with the next try, under the same id', async () => {
  const { id, phone } = await createGroup([BEN, DORA, ME])
  await rememberedAs(id, [BEN, ME])
  const sent = await expecting({ tag: 'message', attrs: { to: id } }, 2)
  assert.equal((await stage.shown('/send-text', { phone, message: 'and Dora?' }, DORA)).text, 'and Dora?')
  const [first, second] = await sent()
  assert.equal(first?.[1].id, second?.[1].id)
  assert.match(first?.[1].phash ?? '', /^2:/)
  assert.notEqual(first?.[1].phash, second?.[1].phash)
  const named = (node: Node) =>
    children(children(node, 'participants')[0] ?? ['', {}], 'to').map(([, { jid }]) => jid?.split('@')[0])
  const { [DORA]: dora } = await addressesOf(stage.world.sandbox)
  assert.ok(!named(first!).includes(dora?.lid.split('@')[0]))
  assert.deepEqual(named(second!), [dora?.lid.split('@')[0]], 'the key goes to whom it was missing')
})

test('9: a group whose members have not changed gets a message once', async () => {
  const { id, phone } = await createGroup([BEN, CARL, ME])
  const sent = await expecting({ tag: 'message', attrs: { to: id } }, 3)
  await stage.shown('/send-text', { phone, message: 'one' }, CARL)
  await stage.shown('/send-text', { phone, message: 'two' }, CARL)
  await stage.shown('/send-text', { phone, message: 'three' }, CARL)
  assert.equal(new Set((await sent()).map(([, { id: each }]) => each)).size, 3)
})

test('9: a message that is refused because the group is addressed in another way now is sent once more', async () => {
  const { phone } = await createGroup([BEN, CARL, ME])
  await stage.shown('/send-text', { phone, message: 'before' }, CARL)
  await stage.world.sandbox.fault({ on: 'message', match: { type: 'text' }, do: { ack_error: 421 }, times: 1 })
  assert.equal((await stage.outcome('/send-text', { phone, message: 'after' })).status, 'sent')
  assert.equal((await stage.next(CARL)).text, 'after')
})

test('18: one stanza can have the receipts of many members, each with its time', async () => {
  const { id, phone } = await createGroup([BEN, CARL, ME])
  const { message_id: message } = await stage.outcome('/send-text', { phone, message: 'read by all' })
  const all = await addressesOf(stage.world.sandbox)
  const t = Math.floor(Date.now() / 1_000)
  const users: Node[] = [BEN, CARL].map((who, index) => ['user', { jid: all[who]!.lid, t: String(t + index) }])
  const node = ['receipt', { id: 'GROUPED', from: id, type: 'read' }, [['participants', { key: String(message) }, users]]]
  await stage.world.sandbox.post('/stanzas', { phone: ME, node, keep: true })
  for (const [index, who] of [BEN, CARL].entries()) {
    const told = await stage.world.receiver.waitFor(
      `the receipt of ${who}`,
      (event) =>
        event.type === 'message_status' &&
        event.status === 'read' &&
        event.participant_phone === who &&
        (event.ids as string[]).includes(String(message)),
    )
    assert.ok(Number(told.momment) >= (t + index) * 1_000)
  }
})

test('1: a message that is resent on request contains the token of that contact', async () => {
  // The contact sends a trust token to the account together with its first message. The resent message must contain
  // this token.
  const { id } = await stage.world.sandbox.send(ANA, ME, { text: 'hello' })
  await stage.world.receiver.waitFor('the message', ({ type, message_id }) => type === 'received' && message_id === id)
  const { message_id: message } = await stage.outcome('/send-text', { phone: ANA, message: 'again, please' })
  await stage.next(ANA)
  const sent = await expecting({ tag: 'message', attrs: { id: String(message) } })
  await stage.world.sandbox.post(`/contacts/${ANA}/retry`, { to: ME, id: message })
  const [node] = await sent()
  assert.equal(children(node!, 'enc')[0]?.[1].count, '1')
  assert.equal(children(node!, 'tctoken').length, 1)
  assert.equal(node?.[1].peer_recipient_pn, undefined, 'it is for the one device that asked')
})

test('4: in a chat with disappearing messages, a sent message says who set that, and when', async () => {
  const since = 1_790_000_000
  const { id } = await stage.world.sandbox.send(BEN, ME, {
    proto: { protocolMessage: { type: 'EPHEMERAL_SETTING', ephemeralExpiration: 86_400, ephemeralSettingTimestamp: since } },
  })
  await stage.world.receiver.waitFor('the setting', ({ type, message_id }) => type === 'received' && message_id === id)
  const { message_id: message } = await stage.outcome('/send-text', { phone: BEN, message: 'gone tomorrow' })
  const inbox = await stage.world.sandbox.inbox(BEN, 0, 10_000)
  const { proto } = inbox.find(({ id: each }) => each === message)!
  const info = (proto.extendedTextMessage as Json).contextInfo as Json
  assert.equal(info.expiration, 86_400)
  assert.equal(Number(info.ephemeralSettingTimestamp), since)
  assert.deepEqual(info.disappearingMode, { initiator: 'CHANGED_IN_CHAT', trigger: 'CHAT_SETTING' })
})

test('25: a message that is refused because new chats are capped ends with the code of the network', async () => {
  await stage.world.sandbox.fault({ on: 'message', match: { type: 'text' }, do: { ack_error: 475 }, times: 1 })
  const told = await stage.outcome('/send-text', { phone: ANA, message: 'one chat too many' })
  assert.equal(told.error_code, 'send_failed')
})

test('26 and 28: stanzas about future features are accepted, and the connection goes on', async () => {
  const { post } = stage.world.sandbox
  const acked = await expecting({ tag: 'ack', attrs: { id: 'PQ1', class: 'notification', type: 'encrypt' } })
  await post('/stanzas', { phone: ME, node: ['ib', { from: 's.whatsapp.net' }, [['client_expiration', { t: '1893456000' }]]] })
  await post('/stanzas', { phone: ME, node: ['ib', { from: 's.whatsapp.net' }, [['thread_metadata', {}, []]]] })
  const few = [
    'notification',
    { id: 'PQ1', from: 's.whatsapp.net', type: 'encrypt', t: '1795360566' },
    [['pq_count', { value: '1' }]],
  ]
  await post('/stanzas', { phone: ME, node: few, keep: true })
  assert.equal((await acked()).length, 1)
  assert.equal((await stage.outcome('/send-text', { phone: CARL, message: 'still here' })).status, 'sent')
})

test('a ping of the network is answered', async () => {
  const sent = await expecting({ tag: 'iq', type: 'result', attrs: { id: 'PING1' } })
  const ping = ['iq', { id: 'PING1', from: 's.whatsapp.net', type: 'get', xmlns: 'urn:xmpp:ping', t: '1795360566' }]
  await stage.world.sandbox.post('/stanzas', { phone: ME, node: ping })
  assert.equal((await sent()).length, 1)
})

test('2: a message to a contact who gave no token has one that is computed with the salt of the phone, from the history or as a setting, until it is taken back', async () => {
  const { sandbox } = stage.world
  const { lid } = (await sandbox.createContact(STRANGER, { needs_token: true })) as { lid: string }
  const tokenUnder = (salt: Buffer) => createHmac('sha256', salt).update(`${lid}@lid`).digest('base64')
  const sentToken = async (message: string) => {
    const sent = await expecting({ tag: 'message' })
    assert.equal((await stage.shown('/send-text', { phone: STRANGER, message })).text, message)
    const [[, , content] = ['', {}]] = children((await sent())[0]!, 'cstoken')
    return (content as { b64: string } | undefined)?.b64
  }
  const setting = async (value: Json | null) => {
    await sandbox.post(`/phones/${ME}/actions`, { collection: 'regular_high', index: ['nct_salt_sync'], version: 1, value })
    // The service acknowledges the stanza after its commit. So when no stanza waits for an acknowledgement, the setting
    // is stored.
    while ((await sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(await sentToken('by the history'), tokenUnder(SALT))
  const newer = Buffer.from('another salt')
  await setting({ nctSaltSyncAction: { salt: newer.toString('base64') } })
  assert.equal(await sentToken('by the setting'), tokenUnder(newer))
  await setting(null)
  assert.equal((await stage.outcome('/send-text', { phone: STRANGER, message: 'refused' })).error_code, 'not_allowed')
})

test('7: the picture of a link preview in a channel is on the media hosts without encryption, and small in the post', async () => {
  const { id } = await stage.world.sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'Pictures' })
  const link = {
    message: 'see',
    link_url: 'https://site.example/',
    title: 'Site',
    image: `data:image/jpeg;base64,${(await image('jpeg', 640, 480)).toString('base64')}`,
  }
  assert.equal((await stage.outcome('/send-link', { phone: id, ...link })).status, 'sent')
  const { items } = await stage.world.sandbox.get<{ items: { media_type: string; proto: Json }[] }>(`/newsletters/${id}/posts`)
  const text = items[0]?.proto.extendedTextMessage as Json
  assert.equal(items[0]?.media_type, 'url')
  assert.ok(String(text.jpegThumbnail).length > 100)
  assert.deepEqual([text.mediaKey, text.thumbnailEncSha256], [undefined, undefined])
  const bytes = await lying(String(text.thumbnailDirectPath))
  assert.equal(createHash('sha256').update(bytes).digest('base64'), text.thumbnailSha256)
  assert.deepEqual([...bytes.subarray(0, 2)], [0xff, 0xd8], 'a JPEG as it is')
  assert.ok(Number(text.thumbnailWidth) > 0 && Number(text.thumbnailHeight) > 0)
})

test('9: for a person with a former LID, the new LID is requested by number, and by the new one from then on', async () => {
  const { sandbox } = stage.world
  const { id } = await sandbox.send(CARL, ME, { text: 'hello' })
  await stage.world.receiver.waitFor('the message', ({ type, message_id }) => type === 'received' && message_id === id)
  const { [CARL]: before } = await addressesOf(sandbox)
  const { lid } = (await sandbox.updateContact(CARL, { lid: '77777770173' })) as { lid: string }
  assert.notEqual(`${lid}@lid`, before?.lid)
  const asked = await expecting({ tag: 'iq', xmlns: 'usync', child: 'usync/query/lid' })
  const addressed = async (message: string) => {
    const sent = await expecting({ tag: 'message' })
    const { status } = await stage.outcome('/send-text', { phone: CARL, message })
    assert.equal(status, 'sent')
    return (await sent())[0]?.[1].to
  }
  assert.equal(await addressed('under the former'), before?.lid)
  assert.equal((await asked()).length, 1)
  // The service processes the answer a moment later. So the first texts may still be sent to the old address.
  let to = await addressed('and now')
  for (let tries = 0; to !== `${lid}@lid` && tries < 50; tries++) to = await addressed(`once more ${tries}`)
  assert.equal(to, `${lid}@lid`)
})

test('13: a login contains the number of logins since the pairing and since the start of the service', async () => {
  const said = async () => {
    const { phones } = await stage.world.sandbox.get<{
      phones: { phone: string; devices: { connected: boolean; login: Json }[] }[]
    }>('/state')
    const [device] = phones.find(({ phone }) => phone === ME)!.devices
    return device!
  }
  const first = await said()
  assert.deepEqual(first.login, { passive: true, lc: 0, connect_attempt_count: 0 })
  await stage.world.sandbox.cut(ME)
  let again = await said()
  while (again.login.lc !== 1) again = await said()
  assert.deepEqual(again.login, { passive: true, lc: 1, connect_attempt_count: 1 })
  // The service sends this text when its login is complete. By then it has stored the number of logins.
  assert.equal((await stage.outcome('/send-text', { phone: ANA, message: 'back' })).status, 'sent')
  await stage.world.restartService()
  while (again.login.lc !== 2) again = await said()
  assert.deepEqual(again.login, { passive: true, lc: 2, connect_attempt_count: 0 })
})
