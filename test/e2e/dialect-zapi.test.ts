/**
 * A client of the hosted gateway, unchanged, through a whole day: it pairs, sends, answers, reacts, deletes, creates a group and reads webhooks. Only
 * the host of its calls is different. The test does not contain its code, but its calls, and the checks of the answers that it makes.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { ask } from '../harness/http.ts'
import { image } from '../harness/media-files.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'
const NOBODY = '5511988880000'

type Json = Record<string, unknown>

let world: World
let instance: Instance
before(async () => {
  world = await startWorld()
  await world.sandbox.createPhone(ME, { name: 'Me' })
  await world.sandbox.createContact(ANA, { name: 'Ana' })
  await world.sandbox.createContact(BEN, { name: 'Ben' })
  instance = await world.gateway.createInstance(null, { settings: { dialect: 'zapi' } })
  world.receiver.trust(instance.id, instance.webhooks.secret)
})
after(() => world.stop())

/** The calls of such clients always have their own header, and they treat an answer other than 200 as an error. */
async function call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
  const answered = await ask(method, instance.api_url + path, body, { 'Client-Token': 'F1a2b3c4d5e6f7a8b9c0' })
  assert.equal(answered.status, 200, `${method} ${path}: ${JSON.stringify(answered.body)}`)
  return answered.body as T
}
const event = (type: string, fits: (event: Json) => boolean) =>
  world.receiver.waitFor(type, (each) => each.type === type && fits(each))

/** Resolves when its message has arrived, and the webhook of its result has the ids of the answer. */
async function sent(path: string, body: Json, to = ANA): Promise<{ id: string; item: Json }> {
  const { zaapId, messageId, id } = await call(`POST`, path, body)
  assert.equal(messageId, id)
  const delivered = await event('DeliveryCallback', (each) => each.zaapId === zaapId)
  assert.deepEqual([delivered.messageId, delivered.instanceId, 'error' in delivered], [messageId, instance.id, false])
  const item = (await world.sandbox.inbox(to, 0, 10_000)).find((each) => each.id === messageId)
  assert.ok(item, `${to} did not get ${messageId}`)
  return { id: String(messageId), item: item as unknown as Json }
}

test('it asks for a picture of the code until the phone has scanned it', async () => {
  const before = await call('GET', '/status')
  assert.deepEqual([before.connected, before.smartphoneConnected, before.error], [false, false, 'You are not connected.'])
  let shown: Json
  do shown = await call('GET', '/qr-code/image')
  while (!shown.value)
  await call('PUT', '/update-every-webhooks', { value: world.receiver.url, notifySentByMe: false })
  await world.sandbox.scan(ME, String(shown.value))
  const connected = await event('ConnectedCallback', () => true)
  assert.deepEqual([connected.connected, connected.phone, connected.instanceId], [true, ME, instance.id])
  assert.equal((await call('GET', '/status')).error, 'You are already connected.')
  const { phone } = await call('GET', '/device')
  assert.equal(phone, ME)
})

test('a text arrives, and its receipts come one by one', async () => {
  const { id, item } = await sent('/send-text', { phone: ANA, message: 'Hello *Ana*', delayTyping: 1, delayMessage: 1 })
  assert.equal(item.text, 'Hello *Ana*')
  for (const status of ['SENT', 'RECEIVED', 'READ']) {
    const told = await event('MessageStatusCallback', (each) => each.status === status && (each.ids as string[]).includes(id))
    assert.deepEqual([told.phone, told.isGroup], [ANA, false])
  }
})

test('a picture that is opened once is one', async () => {
  // Larger than 256 KB, so that another thread reads the body.
  const picture = `data:image/png;base64,${(await image('png', 640, 640)).toString('base64')}`
  assert.ok(picture.length > 300_000)
  const { item } = await sent('/send-image', { phone: ANA, image: picture, caption: 'Look', viewOnce: true })
  assert.match(JSON.stringify(item.proto), /"viewOnce":true|viewOnceMessage/)
})

test('what a person writes is answered by its id, reacted to, and marked as read', async () => {
  const { id } = await world.sandbox.send(ANA, ME, { text: 'Where is my order?' })
  const got = await event('ReceivedCallback', (each) => each.messageId === id)
  const { phone, fromMe, isGroup, status, text, connectedPhone, senderLid, chatLid } = got
  assert.deepEqual([phone, fromMe, isGroup, status, connectedPhone], [ANA, false, false, 'RECEIVED', ME])
  assert.deepEqual(text, { message: 'Where is my order?' })
  assert.equal(senderLid, chatLid)
  const { item } = await sent('/send-text', { phone, message: 'On its way', messageId: id })
  assert.match(JSON.stringify(item.proto), new RegExp(`"stanzaId":"${id}"`))
  const reacted = await sent('/send-reaction', { phone, reaction: '👍', messageId: id })
  assert.equal((reacted.item.proto as { reactionMessage: { text: string } }).reactionMessage.text, '👍')
  await call('POST', '/read-message', { phone, messageId: id })
})

test('a reaction comes with the names of theirs', async () => {
  const { id } = await sent('/send-text', { phone: ANA, message: 'Thanks for waiting' })
  await world.sandbox.send(ANA, ME, { reaction: { message_id: id, emoji: '❤️' } })
  const reacted = await event('ReceivedCallback', (each) => each.reaction !== undefined)
  const { value, referencedMessage } = reacted.reaction as { value: string; referencedMessage: Json }
  assert.deepEqual([value, referencedMessage.messageId, referencedMessage.fromMe], ['❤️', id, true])
})

test('a poll is asked, and a message that was sent is deleted', async () => {
  const poll = await sent('/send-poll', {
    phone: ANA,
    message: 'When?',
    pollMaxOptions: 1,
    poll: [{ name: 'Today' }, { name: 'Later' }],
  })
  assert.match(JSON.stringify(poll.item.proto), /"When\?".*"Today"/)
  const { id } = await sent('/send-text', { phone: ANA, message: 'Wrong' })
  const removed = await call('DELETE', `/messages?phone=${ANA}&messageId=${id}&owner=true`)
  const done = await event('DeliveryCallback', (each) => each.zaapId === removed.zaapId)
  assert.equal('error' in done, false)
})

test('what fails is told as a text, at once or by the webhook', async () => {
  const refused = await ask('POST', `${instance.api_url}/send-text`, { phone: 'nobody', message: 'Hello' })
  assert.equal(refused.status, 400)
  assert.deepEqual([typeof refused.body.error, typeof refused.body.message], ['string', 'string'])
  const { zaapId } = await call('POST', '/send-text', { phone: NOBODY, message: 'Hello' })
  const failed = await event('DeliveryCallback', (each) => each.zaapId === zaapId)
  assert.equal(failed.errorCode, 'phone_not_on_whatsapp')
  assert.equal(typeof failed.error, 'string')
})

test('a group is made, renamed, read and left', async () => {
  const { phone } = await call('POST', '/create-group', { autoInvite: true, groupName: 'Launch', phones: [ANA] })
  await call('POST', '/add-participant', { autoInvite: true, groupId: phone, phones: [BEN] })
  assert.equal((await call('POST', '/update-group-name', { groupId: phone, groupName: 'Launch 2' })).value, true)
  const metadata = await call('GET', `/group-metadata/${phone}`)
  assert.deepEqual([metadata.subject, metadata.phone], ['Launch 2', phone])
  assert.ok((metadata.participants as Json[]).some((each) => each.phone === ANA && each.isAdmin === false))
  const { id } = await world.sandbox.send(ANA, String(phone).replace('-group', '@g.us'), { text: 'Good morning' })
  const got = await event('ReceivedCallback', (each) => each.messageId === id)
  assert.deepEqual([got.isGroup, got.phone, got.participantPhone], [true, phone, ANA])
  const groups = await call<Json[]>('GET', '/groups?page=1&pageSize=20')
  assert.ok(groups.some((each) => each.phone === phone && each.isGroup === true))
  await call('POST', '/leave-group', { groupId: phone })
})

test('chats, contacts and numbers are looked up as lists', async () => {
  const chats = await call<Json[]>('GET', '/chats?page=1&pageSize=20')
  assert.ok(chats.some((each) => each.phone === ANA))
  const [one, other] = await call<Json[]>('POST', '/phone-exists-batch', { phones: [ANA, NOBODY] })
  assert.deepEqual([one?.exists, one?.inputPhone, other?.exists], [true, ANA, false])
  assert.equal((await call('GET', `/phone-exists/${ANA}`)).exists, true)
})

test('a program that reads the stream of events is told in our words, whatever the webhooks say', async () => {
  assert.ok(world.receiver.events().every(({ type }) => /Callback$/.test(type)))
  const stopped = new AbortController()
  const stream = await fetch(`${instance.api_url}/events`, { signal: stopped.signal })
  const { id } = await world.sandbox.send(ANA, ME, { text: 'For the stream' })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(id)) text += (await reader.read()).value ?? ''
  stopped.abort()
  assert.match(text, /"type":"received"/)
  assert.match(text, new RegExp(`"message_id":"${id}"`))
})

test('it restarts, and logs out at the end', async () => {
  assert.equal((await call('GET', '/restart')).value, true)
  await event('ConnectedCallback', (each) => world.receiver.events('ConnectedCallback').indexOf(each as never) > 0)
  assert.equal((await call('GET', '/disconnect')).value, true)
  const lost = await event('DisconnectedCallback', (each) => each.status === 'logged_out')
  assert.deepEqual([lost.disconnected, typeof lost.error], [true, 'string'])
})
