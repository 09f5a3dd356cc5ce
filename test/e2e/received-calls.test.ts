import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { z } from 'zod'
import { webhookPayloads } from '../../src/features/webhook-payloads.ts'
import { must } from '../harness/http.ts'
import { text } from './received/contents.ts'
import { channel, inChannel } from './received/notices.ts'
import { ANA, ANA_LID, checked, content, isId, isTime, ME, startStory } from './received/story.ts'

const story = await startStory()
after(() => story.world.stop())

const call = (more: object) =>
  story.world.sandbox.post<{ id: string }>(`/contacts/${ANA}/call`, { to: ME, after_ms: 50, ...more })
const callState = async (id: string) => (await must<{ state: string }>('GET', `${story.world.sandbox.url}/calls/${id}`)).state

test('a call is rejected automatically and reported once, and the reply is queued', async () => {
  const { gateway, sandbox, receiver } = story.world
  await gateway.must(story.instance, 'PUT', '/settings', {
    call_reject_auto: true,
    call_reject_message: 'We only answer by text.',
  })
  const { id } = await call({ after_ms: 30_000 })
  const event = await story.received(id)
  assert.deepEqual(event.call, { call_id: id, is_video: false, is_group: false, group_id: null, auto_rejected: true })
  assert.equal(await callState(id), 'rejected')
  const delivery = await receiver.waitFor(
    'delivery',
    ({ type, operation }) => type === 'delivery' && operation === 'instance.callReject',
  )
  assert.equal(delivery.status, 'sent')
  assert.equal(delivery.phone, ANA)
  const answers = async () => {
    const items = await sandbox.inbox(ANA, 0, 10_000)
    return items.filter(({ text }) => text === 'We only answer by text.').length
  }
  assert.equal(await answers(), 1)
  // Each call is rejected and reported. But if a person calls several times within ten minutes, only one text is sent
  // as an answer.
  const more = await Promise.all(Array.from({ length: 5 }, () => call({ after_ms: 30_000 })))
  for (const again of more) assert.equal((await story.received(again.id)).notification, 'call_missed_voice')
  const { message_id } = await gateway.must(story.instance, 'POST', '/send-text', { phone: ANA, message: 'behind them' })
  await receiver.waitFor('what was behind them', (event) => event.type === 'delivery' && event.message_id === message_id)
  assert.equal(await answers(), 1)
  await gateway.must(story.instance, 'PUT', '/settings', { call_reject_auto: false, call_reject_message: null })
})

test('presence of a chat with messages: each state is reported once, and paused is distinguished from available', async () => {
  const { sandbox, receiver } = story.world
  const { id } = await sandbox.send(ANA, ME, { text: 'hello' })
  await story.received(id)
  const show = (state: string) => sandbox.post(`/contacts/${ANA}/presence`, { to: ME, state })
  const strict = z.strictObject(webhookPayloads.chat_presence.shape)
  const of = () => receiver.events('chat_presence').filter(({ phone }) => phone === ANA)
  const expected = ['composing', 'paused', 'recording', 'paused', 'available', 'unavailable']
  // The answer to a new subscription is the current presence.
  await receiver.waitFor('as things stand', ({ type, phone }) => type === 'chat_presence' && phone === ANA)
  const before = of().length
  for (const state of ['composing', 'composing', 'paused', 'recording', 'paused', 'available', 'available', 'unavailable'])
    await show(state)
  await receiver.waitFor(
    'unavailable',
    ({ type, status, last_seen }) => type === 'chat_presence' && status === 'unavailable' && last_seen !== null,
  )
  assert.deepEqual(
    of()
      .slice(before)
      .map(({ status }) => status),
    expected,
  )
  for (const event of of()) assert.ok(strict.safeParse(event).success, JSON.stringify(event))
  const { last_seen, ...last } = content(of().at(-1)!)
  assert.match(String(last_seen), /^\d{4}-.*Z$/)
  assert.deepEqual(last, {
    type: 'chat_presence',
    single_url: true,
    phone: ANA,
    chat_lid: ANA_LID,
    is_group: false,
    status: 'unavailable',
  })
})

test('posts of a channel are told once, under their server id; each edit comes under the id of the post', async () => {
  const { sandbox, receiver } = story.world
  const newsletter = await channel(story)
  const post = (message: string) =>
    sandbox.post<{ id: string; server_id: string }>(`/newsletters/${newsletter}/posts`, { message: { text: message } })
  const { id, server_id } = await post('Hi all')
  const place = { ...inChannel(newsletter), message_id: id, newsletter_server_id: server_id, message_type: 'text' }
  story.compare(await story.received(id), { ...place, text: text('Hi all') })
  const edits = ['Hi all!', 'Hi everybody']
  for (const edit of edits) {
    await sandbox.put(`/newsletters/${newsletter}/posts`, { post: id, message: { text: edit } })
    const event = await story.received(id, (told) => (told.text as { message: string }).message === edit)
    story.compare(event, { ...place, is_edit: true, edit_message_id: id, text: text(edit) })
  }
  await story.received((await post('Next')).id)
  assert.equal(receiver.events('received').filter(({ message_id }) => message_id === id).length, 1 + edits.length)
})

test('a reaction to a post is told of the channel, which does not say who reacts, under the id of the post', async () => {
  const { sandbox, receiver } = story.world
  const newsletter = await channel(story)
  const post = await sandbox.post<{ id: string; server_id: string }>(`/newsletters/${newsletter}/posts`, {
    message: { text: 'Hi' },
  })
  await story.received(post.id)
  for (const emoji of ['👍', '']) {
    // The library understands this format of reactions. The format of the real server (`live_updates`) contains only
    // counts.
    await sandbox.post(`/newsletters/${newsletter}/reactions`, { post: post.id, emoji, form: 'reaction' })
    const event = await receiver.waitFor(
      'reaction',
      ({ phone, reaction }) => phone === newsletter && (reaction as { value: string } | undefined)?.value === emoji,
    )
    story.compare(checked(event), {
      ...inChannel(newsletter),
      message_id: isId,
      message_type: 'reaction',
      reaction: {
        value: emoji,
        time: isTime,
        reaction_by: newsletter,
        referenced_message: { message_id: post.id, from_me: false, phone: newsletter, participant: null },
      },
    })
  }
})

test('a status post names its author, and a reply to ours is one', async () => {
  const { sandbox } = story.world
  const { id } = await sandbox.send(ANA, 'status@broadcast', { text: 'Beach' })
  const event = content(await story.received(id))
  assert.deepEqual(
    event,
    story.full({
      message_id: id,
      message_type: 'text',
      phone: 'status@broadcast',
      chat_lid: null,
      chat_name: null,
      broadcast: true,
      participant_phone: ANA,
      participant_lid: ANA_LID,
      text: { message: 'Beach', title: null, description: null, url: null },
    }),
  )
  const contextInfo = { stanzaId: '3EB054C12BAAC70228AAB6', remoteJid: 'status@broadcast', participant: `${ME}@s.whatsapp.net` }
  await story.fromAna(
    { proto: { extendedTextMessage: { text: 'Nice!', contextInfo } } },
    {
      message_type: 'text',
      is_status_reply: true,
      reference_message_id: '3EB054C12BAAC70228AAB6',
      text: { message: 'Nice!', title: null, description: null, url: null },
    },
  )
})
