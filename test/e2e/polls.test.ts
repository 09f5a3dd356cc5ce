/**
 * Tests polls and votes. Each vote is decrypted with the secret in its poll, as every member of the chat decrypts it.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { unsealAbout } from '../../packages/sandbox/src/testing.ts'
import { addressesOf, createTeams } from '../harness/places.ts'
import { bytes, field, type Json, secretOf, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
const chats = await createTeams(sandbox, [ANA, ME])
const addresses = await addressesOf(sandbox)
after(() => stage.world.stop())

const hash = (option: string) => createHash('sha256').update(option).digest('hex')
const isSent = (delivery: Json) => assert.equal(delivery.status, 'sent', JSON.stringify(delivery))

async function heard(to: string, message: Json) {
  const { id } = await stage.world.sandbox.send(ANA, to, message)
  await stage.world.receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
  return id
}

/** Decrypts a vote, and returns the hashes of the chosen options. Throws if the vote was not encrypted correctly. */
function openVote(message: Json, secret: Buffer, author: string, sender: string): string[] {
  const update = field(message, 'pollUpdateMessage')
  const messageId = String(field(update, 'pollCreationMessageKey').id)
  const { encPayload, encIv } = field(update, 'vote')
  const plain = unsealAbout({ secret, messageId, author, sender }, 'Poll Vote', bytes(encPayload), bytes(encIv))
  return proto.Message.PollVoteMessage.decode(plain).selectedOptions.map((option) => Buffer.from(option).toString('hex'))
}

test('a poll arrives with its options, its limit and a secret of its own', async () => {
  const input = { phone: ANA, question: 'Which day?', options: ['Monday', 'Tuesday', 'Wednesday'] }
  const single = await stage.shown('/send-poll', input)
  const poll = field(single.proto, 'pollCreationMessageV3')
  assert.equal(poll.name, 'Which day?')
  assert.deepEqual(
    (poll.options as Json[]).map(({ optionName }) => optionName),
    input.options,
  )
  assert.equal(poll.selectableOptionsCount, 1)
  assert.equal(secretOf(single.proto).length, 32)
  assert.equal(single.attrs?.type, 'poll')
  assert.deepEqual(single.nodes?.find(({ tag }) => tag === 'meta')?.attrs, { polltype: 'creation' })
  for (const [asked, told] of [
    [2, 2],
    [0, 0],
    [9, 0],
  ]) {
    const { proto: message } = await stage.shown('/send-poll', { ...input, poll_max_options: asked! })
    assert.equal(field(message, 'pollCreationMessage').selectableOptionsCount ?? 0, told)
  }
})

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing} a poll mentions and quotes on itself, not beside itself`, async () => {
    const { chat, jid } = chats[addressing]
    const id = await heard(jid, { text: 'when?' })
    const input = { phone: chat, question: `@${ANA}, which day?`, options: ['a', 'b'], mentions: [ANA], reply_to_message_id: id }
    const poll = field((await stage.shown('/send-poll', input, ANA)).proto, 'pollCreationMessageV3')
    const info = field(poll, 'contextInfo')
    assert.equal(info.stanzaId, id)
    const [mentioned] = info.mentionedJid as string[]
    assert.equal(mentioned, addresses[ANA]![addressing])
    assert.ok(String(poll.name).startsWith(`@${mentioned!.split('@')[0]},`))
  })

  test(`in a group addressed by ${addressing} votes can be opened by who made the poll, and by who it was made for`, async () => {
    const { chat, jid } = chats[addressing]
    const [ana, me] = [addresses[ANA]![addressing], addresses[ME]![addressing]]
    const theirs = await stage.world.sandbox.send(ANA, jid, { poll: { question: 'Which?', options: ['a', 'b', 'c'], max: 2 } })
    await stage.world.receiver.waitFor('the poll', ({ message_id }) => message_id === theirs.id)
    const vote = await stage.shown('/send-poll-vote', { phone: chat, poll_message_id: theirs.id, options: ['c', 'a'] }, ANA)
    assert.equal(vote.attrs?.type, 'poll')
    assert.deepEqual(vote.opened, { options: ['c', 'a'] }, 'the contact opened it by itself')
    assert.deepEqual(vote.nodes?.find(({ tag }) => tag === 'meta')?.attrs, { polltype: 'vote' })
    const key = field(field(vote.proto, 'pollUpdateMessage'), 'pollCreationMessageKey')
    assert.equal(key.id, theirs.id)
    assert.equal(key.participant, ana)

    const own = await stage.shown('/send-poll', { phone: chat, question: 'Mine?', options: ['x', 'y'] }, ANA)
    const secret = secretOf(own.proto)
    const onOwn = await stage.shown('/send-poll-vote', { phone: chat, poll_message_id: own.id, options: ['y'] }, ANA)
    assert.deepEqual(openVote(onOwn.proto, secret, me, me), [hash('y')])
    assert.deepEqual(onOwn.opened, { options: ['y'] })
    const withdrawn = await stage.shown('/send-poll-vote', { phone: chat, poll_message_id: own.id, options: [] }, ANA)
    assert.deepEqual(openVote(withdrawn.proto, secret, me, me), [])
    assert.deepEqual(withdrawn.opened, { options: [] })
  })
}

test('a vote in a poll of somebody else is sealed with the names of both', async () => {
  const messageSecret = Buffer.alloc(32, 7)
  const id = await heard(ME, {
    proto: {
      pollCreationMessageV3: { name: 'Which?', options: [{ optionName: 'a' }, { optionName: 'b' }], selectableOptionsCount: 1 },
      messageContextInfo: { messageSecret: messageSecret.toString('base64') },
    },
  })
  const delivery = await stage.outcome('/send-poll-vote', { phone: ANA, poll_message_id: id, options: ['b'] })
  isSent(delivery)
  assert.equal(delivery.reference_message_id, id)
  const { proto: message, attrs } = await stage.next(ANA)
  const space = attrs?.to?.endsWith('@lid') ? 'lid' : 'pn'
  assert.equal(field(field(message, 'pollUpdateMessage'), 'pollCreationMessageKey').fromMe ?? false, false)
  assert.deepEqual(openVote(message, messageSecret, addresses[ANA]![space], addresses[ME]![space]), [hash('b')])
})

test('a vote the poll does not allow, or in no poll, is not sent', async () => {
  const { id } = await stage.shown('/send-poll', { phone: ANA, question: 'One?', options: ['a', 'b'] })
  const outcome = async (input: Json) =>
    (await stage.outcome('/send-poll-vote', { phone: ANA, ...input } as Json & { phone: string })).error_code
  assert.equal(await outcome({ poll_message_id: id, options: ['z'] }), 'send_failed')
  assert.equal(await outcome({ poll_message_id: id, options: ['a', 'b'] }), 'send_failed')
  assert.equal(await outcome({ poll_message_id: '3EB0000000000000000001', options: ['a'] }), 'message_not_found')
  const text = await stage.shown('/send-text', { phone: ANA, message: 'no poll' })
  assert.equal(await outcome({ poll_message_id: text.id, options: ['a'] }), 'message_not_found')
})

test('a channel gets its poll in plain, with the mark of one', async () => {
  const { sandbox } = stage.world
  const { id } = await sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'News' })
  isSent(await stage.outcome('/send-poll', { phone: id, question: 'Which?', options: ['a', 'b'] }))
  const [post] = (await sandbox.get<{ items: Json[] }>(`/newsletters/${id}/posts`)).items
  assert.equal(field(field(post!, 'proto'), 'pollCreationMessageV3').name, 'Which?')
  assert.equal(field(post!, 'attrs').type, 'poll')
  assert.deepEqual(post!.meta, { polltype: 'creation' })
})

test('options that are the same, too few or too many are refused', async () => {
  const poll = { phone: ANA, question: 'x' }
  assert.deepEqual(await stage.refused('/send-poll', { ...poll, options: ['a', 'b', 'a'] }), [
    { path: 'options.2', message: 'must differ from the other options' },
  ])
  assert.equal((await stage.refused('/send-poll', { ...poll, options: ['a'] }))[0]?.path, 'options')
  assert.equal((await stage.refused('/send-poll', { ...poll, options: Array.from({ length: 13 }, String) }))[0]?.path, 'options')
})
