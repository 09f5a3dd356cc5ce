import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990001'
const ANA = '5511988887777'
const BEN = '5511988886666'
const DAY = 86_400
const WEEK = 7 * DAY

const stage = await startStage(ME)
after(() => stage.world.stop())

/**
 * Returns the expiry of a message from the field `contextInfo` of its content: a list with one item, or an empty list
 * if the message does not expire.
 */
const expiryOf = ({ proto }: { proto: Json }) =>
  Object.values(proto).flatMap(
    (content) => (content as { contextInfo?: { expiration?: number } } | null)?.contextInfo?.expiration ?? [],
  )

async function hear(from: string, message: Json): Promise<string> {
  const { id } = await stage.world.sandbox.send(from, ME, message)
  await stage.world.receiver.waitFor(`message ${id}`, ({ type, message_id }) => type === 'received' && message_id === id)
  return id
}

test('until a chat says so, nothing disappears', async () => {
  await hear(ANA, { text: 'hello' })
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: ANA, message: 'stays' })), [])
})

test('after a message that disappears, ours do: texts, media, polls, forwards; a reaction does not', async () => {
  const id = await hear(ANA, { text: 'gone tomorrow', ephemeral_seconds: DAY })
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: ANA, message: 'so is this' })), [DAY])
  assert.deepEqual(expiryOf(await stage.shown('/send-poll', { phone: ANA, question: 'When?', options: ['now', 'later'] })), [DAY])
  const place = { latitude: '-23.56', longitude: '-46.65', title: 'Office', address: 'Av. Paulista' }
  assert.deepEqual(expiryOf(await stage.shown('/send-location', { phone: ANA, ...place })), [DAY])
  const forwarded = await stage.shown('/forward-message', { phone: ANA, message_id: id, message_phone: ANA })
  assert.deepEqual(expiryOf(forwarded), [DAY])
  assert.deepEqual(expiryOf(await stage.shown('/send-reaction', { phone: ANA, message_id: id, reaction: '👍' })), [])
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: BEN, message: 'another chat' })), [])
})

test('the setting is known after a restart', async () => {
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: ANA, message: 'still' })), [DAY])
})

test('the latest setting counts, one that was made before it does not, and 0 switches it off', async () => {
  const setting = (seconds: number, made: number) => ({
    proto: { protocolMessage: { type: 'EPHEMERAL_SETTING', ephemeralExpiration: seconds, ephemeralSettingTimestamp: made } },
  })
  await hear(ANA, setting(WEEK, 2_000))
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: ANA, message: 'a week' })), [WEEK])
  await hear(ANA, setting(DAY, 1_000))
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: ANA, message: 'late word' })), [WEEK])
  await hear(ANA, setting(0, 3_000))
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: ANA, message: 'stays again' })), [])
})

test('a setting made on our own phone counts, too', async () => {
  await stage.world.gateway.must(stage.instance, 'PUT', '/webhooks', { notify_sent_by_me: true })
  await stage.world.sandbox.sendFromPhone(ME, BEN, { text: 'from the phone', ephemeral_seconds: WEEK })
  await stage.world.receiver.waitFor(
    'the own message',
    ({ type, from_me, from_api }) => type === 'received' && from_me === true && from_api === false,
  )
  await stage.next(BEN)
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { phone: BEN, message: 'from the API' })), [WEEK])
})

test('a private answer to a group disappears as the chat of two does, not as the group', async () => {
  const EVA = '5511988885555'
  const { sandbox, receiver } = stage.world
  const { id: group } = await sandbox.createGroup({ subject: 'Gone', owner: EVA, participants: [EVA, ME] })
  await sandbox.put(`/groups/${encodeURIComponent(group)}`, { by: EVA, ephemeral_seconds: DAY })
  const asked = await sandbox.send(EVA, group, { text: 'who can help?' })
  await receiver.waitFor('the question', ({ type, message_id }) => type === 'received' && message_id === asked.id)
  const chat = `${group.split('@')[0]}-group`
  const answer = { phone: chat, message: 'I can', reply_to_message_id: asked.id }
  assert.deepEqual(expiryOf(await stage.shown('/send-text', answer, EVA)), [DAY])
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { ...answer, private_answer: true }, EVA)), [])
  await hear(EVA, { text: 'gone in a week', ephemeral_seconds: WEEK })
  assert.deepEqual(expiryOf(await stage.shown('/send-text', { ...answer, private_answer: true }, EVA)), [WEEK])
})
