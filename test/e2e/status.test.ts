import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import type { Json } from '../harness/stage.ts'
import { field, metaOf } from '../harness/stage.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'
const EVA = '5511988880003'
const STRANGER = '5511988880004'

let world: World
let instance: Instance
before(async () => {
  world = await startWorld()
  const { sandbox, gateway } = world
  await sandbox.createPhone(ME, { name: 'Me' })
  for (const phone of [ANA, BEN, EVA, STRANGER]) await sandbox.createContact(phone, { name: `Contact ${phone}` })
  for (const phone of [ANA, BEN, EVA]) await sandbox.post(`/phones/${ME}/contacts`, { phone, name: `Saved ${phone}` })
  instance = await gateway.createInstance(world.receiver)
  await gateway.pair(instance, sandbox, ME)
  // The phone sends the account's name together with the saved contacts. This request needs the name, so after its
  // success the service knows both.
  for (;;) if ((await gateway.ask(instance, 'POST', '/send-presence', { presence: 'unavailable' })).status === 200) break
})
after(() => world.stop())

const outcome = async (path: string, input: Json) => {
  const { message_id } = await world.gateway.must(instance, 'POST', path, input)
  const isIt = (event: Json) => event.type === 'delivery' && event.message_id === message_id
  return (await world.receiver.waitFor(`delivery of ${message_id}`, isIt)) as Json
}
const sent = async (path: string, input: Json) => {
  const delivery = await outcome(path, input)
  assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
  return String(delivery.message_id)
}
async function inboxItem(phone: string, id: string) {
  for (let after = 0; ; ) {
    const items = await world.sandbox.inbox(phone, after, 10_000)
    const found = items.find((item) => item.id === id)
    if (found) return found
    assert.ok(items.length > 0, `${id} did not reach ${phone}`)
    after = items.at(-1)!.seq
  }
}
/**
 * Returns the people who received a status. Waits for a later message to each person, which arrives after the status.
 */
async function seenBy(id: string): Promise<string[]> {
  const seen: string[] = []
  for (const phone of [ANA, BEN, EVA, STRANGER]) {
    const marker = await sent('/send-text', { phone, message: 'marker' })
    await inboxItem(phone, marker)
    if ((await world.sandbox.inbox(phone)).some((item) => item.id === id)) seen.push(phone)
  }
  return seen
}
const audience = (setting: string, phones: string[] = []) =>
  world.sandbox.put(`/phones/${ME}/status-privacy`, { setting, phones })

test('a text status reaches everybody saved on the phone, with its colour and font', async () => {
  const id = await sent('/send-text-status', { message: 'Open until 22h', background_color: '#128C7E', font: 1 })
  const { proto, chat, attrs, nodes, text } = await inboxItem(ANA, id)
  assert.equal(chat, 'status@broadcast')
  assert.equal(text, 'Open until 22h')
  const status = field(proto, 'extendedTextMessage')
  assert.equal(status.backgroundArgb, 0xff128c7e)
  assert.equal(status.font, 'SYSTEM_TEXT')
  assert.equal(attrs?.addressing_mode, 'lid')
  assert.deepEqual(metaOf(nodes), { status_setting: 'contacts' })
  assert.deepEqual(await seenBy(id), [ANA, BEN, EVA])
  await inboxItem(ME, id)
})

test('a status through send-text is the same', async () => {
  const id = await sent('/send-text', { phone: 'status@broadcast', message: 'Sale' })
  const { nodes, attrs, proto } = await inboxItem(BEN, id)
  assert.equal(attrs?.addressing_mode, 'lid')
  assert.deepEqual(metaOf(nodes), { status_setting: 'contacts' })
  const other = await inboxItem(BEN, await sent('/send-text-status', { message: 'Sale' }))
  const looks = ({ backgroundArgb, font, text }: Record<string, unknown>) => ({ backgroundArgb, font, text })
  const mine = looks(field(proto, 'extendedTextMessage'))
  assert.deepEqual(mine, looks(field(other.proto, 'extendedTextMessage')))
  assert.equal(mine.backgroundArgb, 0xff25d366)
})

test('an allowlist, then everybody but some', async () => {
  await audience('allowlist', [BEN, STRANGER])
  const few = await sent('/send-text-status', { message: 'for two' })
  assert.deepEqual(metaOf((await inboxItem(BEN, few)).nodes), { status_setting: 'allowlist' })
  assert.deepEqual(await seenBy(few), [BEN, STRANGER])
  await audience('denylist', [ANA])
  const most = await sent('/send-text-status', { message: 'not for Ana' })
  assert.deepEqual(metaOf((await inboxItem(BEN, most)).nodes), { status_setting: 'denylist' })
  assert.deepEqual(await seenBy(most), [BEN, EVA])
  await audience('contacts')
})

test('a status is taken back from those it went to, whoever would see it now', async () => {
  const id = await sent('/send-text-status', { message: 'oops' })
  await audience('allowlist', [])
  const query = new URLSearchParams({ phone: 'status@broadcast', message_id: id, owner: 'true' })
  const { message_id } = await world.gateway.must(instance, 'DELETE', `/messages?${query}`)
  const removal = await inboxItem(EVA, String(message_id))
  assert.equal(removal.kind, 'revoke')
  assert.equal(field(field(removal.proto, 'protocolMessage'), 'key').id, id)
  assert.equal(removal.attrs?.edit, '7')
  assert.equal(metaOf(removal.nodes), undefined)
  await audience('contacts')
})

test('an edit of a status reaches those the post went to, and keeps its colour and font', async () => {
  const id = await sent('/send-text-status', { message: 'open until 20h', background_color: '#102030', font: 2 })
  await audience('allowlist', [])
  const edit = await inboxItem(
    EVA,
    await sent('/send-text', { phone: 'status@broadcast', message: 'open until 22h', edit_message_id: id }),
  )
  const change = field(edit.proto, 'protocolMessage')
  assert.equal(field(change, 'key').id, id)
  assert.equal(edit.attrs?.edit, '1')
  assert.equal(metaOf(edit.nodes), undefined, 'it is no post of its own')
  const { text, backgroundArgb, font } = field(field(change, 'editedMessage'), 'extendedTextMessage')
  assert.deepEqual(
    [text, backgroundArgb, font],
    ['open until 22h', 0xff102030, field((await inboxItem(EVA, id)).proto, 'extendedTextMessage').font],
  )
  assert.deepEqual(await seenBy(edit.id), [ANA, BEN, EVA])
  await audience('contacts')
})

test('a post for nobody goes to the own devices only, which is no failure', async () => {
  await audience('allowlist', [])
  const id = await sent('/send-text-status', { message: 'diary' })
  await inboxItem(ME, id)
  assert.deepEqual(await seenBy(id), [])
  await audience('contacts')
})

test('an answer to a status arrives in the chat with its author and quotes it', async () => {
  const { id } = await world.sandbox.send(ANA, 'status@broadcast', { text: 'my holiday' })
  await world.receiver.waitFor('the status', ({ message_id }) => message_id === id)
  const answer = await sent('/reply-status-text', { phone: ANA, status_message_id: id, message: 'Beautiful!' })
  const theirs = new URLSearchParams({ phone: 'status@broadcast', message_id: id, owner: 'False' })
  const { message_id } = await world.gateway.must(instance, 'DELETE', `/messages?${theirs}`)
  const removal = await world.receiver.waitFor(
    'the removal',
    (event) => event.type === 'delivery' && event.message_id === message_id,
  )
  assert.deepEqual(
    [removal.error_code, removal.error_message],
    ['not_allowed', 'A status post of somebody else cannot be deleted.'],
  )
  const { proto, chat, text } = await inboxItem(ANA, answer)
  assert.equal(text, 'Beautiful!')
  assert.notEqual(chat, 'status@broadcast')
  const info = field(field(proto, 'extendedTextMessage'), 'contextInfo')
  assert.equal(info.stanzaId, id)
  assert.equal(info.remoteJid, 'status@broadcast')
  assert.match(String(info.participant), /@(lid|s\.whatsapp\.net)$/)
  assert.ok(JSON.stringify(info.quotedMessage).includes('my holiday'))
  const wrong = { status_message_id: id, message: 'x' }
  assert.equal((await outcome('/reply-status-text', { ...wrong, phone: BEN })).error_code, 'message_not_found')
  const unknown = { phone: ANA, status_message_id: '3EB0000000000000000001', message: 'x' }
  assert.equal((await outcome('/reply-status-text', unknown)).error_code, 'message_not_found')
})

test('a status and an answer to one mention whom they name, and a status quotes another', async () => {
  const { id } = await world.sandbox.send(ANA, 'status@broadcast', { text: 'my holiday' })
  await world.receiver.waitFor('the status', ({ message_id }) => message_id === id)
  const post = await sent('/send-text-status', { message: `With @${BEN}`, mentions: [BEN], reply_to_message_id: id })
  const status = field((await inboxItem(BEN, post)).proto, 'extendedTextMessage')
  assert.equal(status.text, `With @${BEN}`)
  const { mentionedJid, stanzaId } = field(status, 'contextInfo')
  assert.deepEqual([mentionedJid, stanzaId], [[`${BEN}@s.whatsapp.net`], id])
  const input = { phone: ANA, status_message_id: id, message: `Ask @${BEN}`, mentions: [BEN], reply_to_message_id: post }
  const answer = field((await inboxItem(ANA, await sent('/reply-status-text', input))).proto, 'extendedTextMessage')
  const info = field(answer, 'contextInfo')
  assert.deepEqual([info.mentionedJid, info.stanzaId], [[`${BEN}@s.whatsapp.net`], id])
  const unknown = { message: 'x', reply_to_message_id: '3EB0000000000000000001' }
  assert.equal((await outcome('/send-text-status', unknown)).error_code, 'message_not_found')
})

test('a status the network refuses ends in send_failed', async () => {
  await world.sandbox.fault({ on: 'message', match: { to: 'status@broadcast' }, do: { ack_error: 479 }, times: 1 })
  const delivery = await outcome('/send-text-status', { message: 'refused' })
  assert.equal(delivery.error_code, 'send_failed')
  assert.equal(delivery.phone, 'status@broadcast')
  await world.sandbox.clearFaults()
})

test('saved contacts are known after a restart', async () => {
  await world.restartService()
  await world.gateway.waitForStatus(instance, 'connected')
  const id = await sent('/send-text-status', { message: 'still here' })
  await inboxItem(EVA, id)
})
