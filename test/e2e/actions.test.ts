import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { column } from '../harness/columns.ts'
import { addressesOf, type ByAddressing, chatOf, createTeams } from '../harness/places.ts'
import { field, type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createContact(BEN, { name: 'Ben' })
/**
 * Ana has created both groups, and Ana and the account are their members. One group addresses members by number, and
 * the other by LID.
 */
const groups = await createTeams(sandbox, [ANA, ME])
after(() => stage.world.stop())

const says = async (to: string, message: Json, from = ANA) => {
  const { id } = await stage.world.sandbox.send(from, to, message)
  await stage.world.receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
  return id
}
/** Resolves when the account has acknowledged all stanzas that the network sent to it. */
async function told() {
  while ((await stage.world.sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}
const remove = async (query: Record<string, string>) => {
  const path = `/messages?${new URLSearchParams(query)}`
  const ack = await stage.world.gateway.must(stage.instance, 'DELETE', path)
  return stage.deliveryOf(String(ack.message_id))
}

test('a reaction names the message in the namespace it came in, and can be replaced and taken back', async () => {
  const id = await says(ME, { text: 'nice?' })
  const first = await stage.shown('/send-reaction', { phone: ANA, reaction: '❤️', message_id: id })
  const reaction = field(first.proto, 'reactionMessage')
  assert.equal(reaction.text, '❤️')
  const key = field(reaction, 'key')
  assert.equal(key.id, id)
  assert.equal(key.fromMe ?? false, false)
  assert.equal(key.remoteJid, first.attrs?.to, 'the stanza goes where the target is')
  assert.equal(first.attrs?.type, 'reaction')
  assert.equal(first.attrs?.edit, undefined)
  const gone = await stage.shown('/send-remove-reaction', { phone: ANA, message_id: id })
  assert.equal(field(gone.proto, 'reactionMessage').text ?? '', '')
  assert.equal(gone.attrs?.edit, '7')
})

test('an edited message is forwarded and quoted as it is now, and can be edited again', async () => {
  const { id } = await stage.shown('/send-text', { phone: ANA, message: 'It costs 100.' })
  await stage.shown('/send-text', { phone: ANA, message: 'It costs 120.', edit_message_id: id })
  const copy = await stage.shown('/forward-message', { phone: BEN, message_id: id, message_phone: ANA }, BEN)
  assert.equal(field(copy.proto, 'extendedTextMessage').text, 'It costs 120.')
  const answer = await stage.shown('/send-text', { phone: ANA, message: 'Final.', reply_to_message_id: id })
  const quoted = field(field(field(answer.proto, 'extendedTextMessage'), 'contextInfo'), 'quotedMessage')
  assert.equal(field(quoted, 'extendedTextMessage').text, 'It costs 120.')
  const again = await stage.shown('/send-text', { phone: ANA, message: 'It costs 130.', edit_message_id: id })
  assert.equal(field(field(again.proto, 'protocolMessage'), 'key').id, id)

  const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#258' } })
    .png()
    .toBuffer()
  const image = await stage.shown('/send-image', { phone: ANA, image: png.toString('base64'), caption: 'old' })
  await stage.shown('/send-text', { phone: ANA, message: 'new', edit_message_id: image.id })
  const picture = await stage.shown('/forward-message', { phone: BEN, message_id: image.id, message_phone: ANA }, BEN)
  assert.equal(field(picture.proto, 'imageMessage').caption, 'new')
  assert.equal(field(picture.proto, 'imageMessage').directPath, field(image.proto, 'imageMessage').directPath)
})

test('the delivery of a reaction refers to its target', async () => {
  const { id } = await stage.shown('/send-text', { phone: ANA, message: 'own' })
  const { proto } = await stage.shown('/send-reaction', { phone: ANA, reaction: '🇧🇷', message_id: id })
  assert.equal(field(field(proto, 'reactionMessage'), 'key').fromMe, true)
  const delivery = stage.world.receiver.events('delivery').at(-1)
  assert.equal(delivery?.operation, 'send.sendReaction')
  assert.equal(delivery?.reference_message_id, id)
})

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing} a reaction names the author, remembered or told`, async () => {
    const { chat, jid } = groups[addressing]
    const id = await says(jid, { text: 'hello group' })
    const known = await stage.shown('/send-reaction', { phone: chat, reaction: '👍', message_id: id }, ANA)
    const key = field(field(known.proto, 'reactionMessage'), 'key')
    assert.equal(key.remoteJid, jid)
    const author = String(key.participant)
    assert.ok(author.endsWith(addressing === 'lid' ? '@lid' : '@s.whatsapp.net'), author)

    const old = { phone: chat, reaction: '👍', message_id: '3EB0000000000000000001' }
    assert.equal((await stage.outcome('/send-reaction', old)).error_code, 'message_not_found')
    const told = await stage.shown('/send-reaction', { ...old, participant: ANA }, ANA)
    assert.equal(field(field(told.proto, 'reactionMessage'), 'key').participant, author)
    const own = await stage.shown('/send-reaction', { ...old, from_me: true }, ANA)
    assert.equal(field(field(own.proto, 'reactionMessage'), 'key').fromMe, true)
  })
}

test('a message of another chat is not found in this one', async () => {
  const id = await says(ME, { text: 'from Ben' }, BEN)
  assert.equal(
    (await stage.outcome('/send-reaction', { phone: ANA, reaction: '👍', message_id: id })).error_code,
    'message_not_found',
  )
})

test('a forward is marked, counted, and carries neither the secret nor the quote of its original', async () => {
  const asked = await says(ME, { text: 'who?' })
  const { id, proto: original } = await stage.shown('/send-text', { phone: ANA, message: 'me', reply_to_message_id: asked })
  const { proto, text } = await stage.shown('/forward-message', { phone: BEN, message_id: id, message_phone: ANA }, BEN)
  assert.equal(text, 'me')
  assert.deepEqual(field(field(proto, 'extendedTextMessage'), 'contextInfo'), { isForwarded: true, forwardingScore: 1 })
  const secretOf = (message: Json) => field(message, 'messageContextInfo').messageSecret
  assert.ok(secretOf(proto))
  assert.notEqual(secretOf(proto), secretOf(original))
})

const heardBy = async (who: string) => {
  const { contacts } = await stage.world.sandbox.get<{ contacts: { phone: string; heard: Json[] }[] }>('/state')
  return contacts.find(({ phone }) => phone === who)!.heard.filter(({ kind }) => kind === 'chatstate')
}

test('a forward quotes and mentions whom it is asked to, and is typed as long as it is asked to', async () => {
  const named = await addressesOf(stage.world.sandbox)
  const { chat, jid } = groups.lid
  const asked = await says(jid, { text: 'who knows?' })
  const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#258' } })
    .png()
    .toBuffer()
  const text = await stage.shown('/send-text', { phone: BEN, message: `Ask @${ANA}` })
  const image = await stage.shown('/send-image', { phone: BEN, image: png.toString('base64'), caption: `It is @${ANA}` })
  const ana = named[ANA]!.lid
  for (const [id, content, words] of [
    [text.id, 'extendedTextMessage', 'text'],
    [image.id, 'imageMessage', 'caption'],
  ] as const) {
    const forward = { phone: chat, message_id: id, message_phone: BEN, mentions: [ANA], reply_to_message_id: asked }
    const { proto } = await stage.shown('/forward-message', forward, ANA)
    const shown = field(proto, content)
    assert.match(String(shown[words]), new RegExp(`@${ana.split('@')[0]}$`), 'as the group calls her')
    const { isForwarded, stanzaId, mentionedJid, quotedMessage } = field(shown, 'contextInfo')
    assert.deepEqual([isForwarded, stanzaId, mentionedJid], [true, asked, [ana]])
    assert.ok(JSON.stringify(quotedMessage).includes('who knows?'))
  }
  const before = (await heardBy(ANA)).length
  const everybody = { phone: chat, message_id: text.id, message_phone: BEN, mention_all: true, delay_typing: 1 }
  const { proto } = await stage.shown('/forward-message', everybody, ANA)
  const { mentionedJid, nonJidMentions } = field(field(proto, 'extendedTextMessage'), 'contextInfo')
  assert.deepEqual([(mentionedJid as string[]).toSorted(), nonJidMentions], [[ana, named[ME]!.lid].toSorted(), 1])
  assert.deepEqual(column((await heardBy(ANA)).slice(before), 'type'), ['composing'])
  const nowhere = { phone: chat, message_id: text.id, message_phone: BEN, reply_to_message_id: '3EB0000000000000000001' }
  assert.equal((await stage.outcome('/forward-message', nowhere)).error_code, 'message_not_found')
})

test('what is no message of its own is never typed, and quotes and mentions nothing', async () => {
  const { chat, jid } = groups.pn
  const id = await says(jid, { text: 'hello' })
  const before = (await heardBy(ANA)).length
  const shared = { phone: chat, reply_to_message_id: id, mentions: [ANA], mention_all: true, delay_typing: 15 }
  const { proto } = await stage.shown('/send-reaction', { ...shared, reaction: '👍', message_id: id }, ANA)
  assert.equal(field(field(proto, 'reactionMessage'), 'key').id, id)
  assert.ok(!JSON.stringify(proto).includes('mentionedJid'))
  assert.equal(
    (await remove({ phone: chat, message_id: id, owner: 'false', delay_typing: '15', mentions: ANA })).status,
    'failed',
  )
  assert.equal((await heardBy(ANA)).length, before)
})

test('a plain text, a place and a poll of somebody else can be forwarded', async () => {
  const text = await says(ME, { text: 'pass it on' })
  const shown = await stage.shown('/forward-message', { phone: BEN, message_id: text, message_phone: ANA }, BEN)
  assert.equal(shown.text, 'pass it on')
  const poll = await says(ME, { poll: { question: 'Which?', options: ['a', 'b'], max: 1 } })
  const { proto, attrs, nodes } = await stage.shown('/forward-message', { phone: BEN, message_id: poll, message_phone: ANA }, BEN)
  const name = Object.keys(proto).find((key) => key.startsWith('pollCreation'))!
  assert.equal(field(field(proto, name), 'contextInfo').isForwarded, true)
  assert.equal(attrs?.type, 'poll')
  assert.equal(nodes?.find(({ tag }) => tag === 'meta')?.attrs.polltype, 'creation')
})

test('what is to be seen once, live or no message at all is not forwarded', async () => {
  const live = await says(ME, { live_location: { latitude: 1, longitude: 2 } })
  const outcome = (message_id: string) => stage.outcome('/forward-message', { phone: BEN, message_id, message_phone: ANA })
  assert.equal((await outcome(live)).error_code, 'not_allowed')
  const once = await says(ME, {
    proto: {
      viewOnceMessageV2: { message: { imageMessage: { url: 'https://x.example', mimetype: 'image/jpeg', viewOnce: true } } },
    },
  })
  assert.equal((await outcome(once)).error_code, 'not_allowed')
  const reaction = await stage.shown('/send-reaction', { phone: ANA, reaction: '👍', message_id: live })
  assert.equal((await outcome(reaction.id)).error_code, 'not_allowed')
  assert.equal((await outcome('3EB0000000000000000002')).error_code, 'message_not_found')
})

test('a pin lasts as long as asked, and can be taken away', async () => {
  const id = await says(ME, { text: 'important' })
  const pin = await stage.shown('/pin-message', { phone: ANA, message_id: id, pin_message_duration: '30_days' })
  assert.equal(field(field(pin.proto, 'pinInChatMessage'), 'key').id, id)
  assert.equal(field(pin.proto, 'pinInChatMessage').type, 'PIN_FOR_ALL')
  assert.equal(field(pin.proto, 'messageContextInfo').messageAddOnDurationInSecs, 2_592_000)
  assert.equal(pin.attrs?.edit, '2')
  const default_ = await stage.shown('/pin-message', { phone: ANA, message_id: id })
  assert.equal(field(default_.proto, 'messageContextInfo').messageAddOnDurationInSecs, 604_800)
  const unpin = await stage.shown('/pin-message', { phone: ANA, message_id: id, message_action: 'UNPIN' })
  assert.equal(field(unpin.proto, 'pinInChatMessage').type, 'UNPIN_FOR_ALL')
  assert.equal(field(unpin.proto, 'messageContextInfo').messageAddOnDurationInSecs, 0)
})

test('in a restricted group only an admin pins', async () => {
  const { chat, jid } = groups.lid
  const id = await says(jid, { text: 'rules' })
  const { sandbox } = stage.world
  await sandbox.put(`/groups/${jid}`, { by: ANA, restrict: true })
  await told()
  assert.equal((await stage.outcome('/pin-message', { phone: chat, message_id: id })).error_code, 'not_allowed')
  await sandbox.post(`/groups/${jid}/participants`, { by: ANA, action: 'promote', phones: [ME] })
  const { proto } = await stage.shown('/pin-message', { phone: chat, message_id: id }, ANA)
  assert.equal(field(proto, 'pinInChatMessage').type, 'PIN_FOR_ALL')
  await sandbox.post(`/groups/${jid}/participants`, { by: ANA, action: 'demote', phones: [ME] })
  await sandbox.put(`/groups/${jid}`, { by: ANA, restrict: false })
})

test('an own message is deleted for everyone', async () => {
  const { id } = await stage.shown('/send-text', { phone: ANA, message: 'oops' })
  const delivery = await remove({ phone: ANA, message_id: id, owner: 'true' })
  assert.equal(delivery.status, 'sent')
  assert.equal(delivery.reference_message_id, id)
  const { proto, attrs, kind } = await stage.next(ANA)
  assert.equal(kind, 'revoke')
  assert.equal(field(field(proto, 'protocolMessage'), 'key').id, id)
  assert.equal(field(field(proto, 'protocolMessage'), 'key').fromMe, true)
  assert.equal(attrs?.edit, '7')
})

test('a promotion that was not told counts: before it refuses an admin the network is asked', async () => {
  const { sandbox } = stage.world
  const { id: jid } = await sandbox.createGroup({ subject: 'New', owner: ANA, participants: [ME], addressing: 'lid' })
  const phone = chatOf(jid)
  await stage.shown('/send-text', { phone, message: 'here I am' }, ANA)
  const spam = await says(jid, { text: 'spam' })
  const { [ANA]: ana, [ME]: me } = await addressesOf(sandbox)
  const admin = (names: ByAddressing<string>) => ['participant', { jid: names.lid, phone_number: names.pn, type: 'admin' }]
  const attrs = { id: jid.split('@')[0], subject: 'New', creation: 1, s_t: 1, addressing_mode: 'lid' }
  const group = ['group', attrs, [admin(ana!), admin(me!)]]
  await sandbox.post('/answers', { match: { xmlns: 'w:g2', type: 'get' }, do: { result: [group] }, times: 1 })
  assert.equal((await remove({ phone, message_id: spam, owner: 'false' })).status, 'sent')
  assert.equal((await stage.next(ANA)).attrs?.edit, '8')
})

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing} an admin deletes what others wrote, nobody else does`, async () => {
    const { chat, jid } = groups[addressing]
    const id = await says(jid, { text: 'spam' })
    assert.equal((await remove({ phone: chat, message_id: id, owner: 'false' })).error_code, 'not_allowed')
    assert.equal((await remove({ phone: chat, message_id: id, owner: 'true' })).error_code, 'not_allowed')
    await stage.world.sandbox.post(`/groups/${jid}/participants`, { by: ANA, action: 'promote', phones: [ME] })
    assert.equal((await remove({ phone: chat, message_id: id, owner: 'false' })).status, 'sent')
    const { proto, attrs } = await stage.next(ANA)
    const key = field(field(proto, 'protocolMessage'), 'key')
    assert.equal(key.id, id)
    assert.equal(key.fromMe ?? false, false)
    assert.ok(String(key.participant).endsWith(addressing === 'lid' ? '@lid' : '@s.whatsapp.net'))
    assert.equal(attrs?.edit, '8')
    const old = { phone: chat, message_id: '3EB0000000000000000003', owner: 'false' }
    assert.equal((await remove(old)).error_code, 'message_not_found')
    assert.equal((await remove({ ...old, participant: ANA })).status, 'sent')
    assert.equal(field(field((await stage.next(ANA)).proto, 'protocolMessage'), 'key').participant, key.participant)
  })
}

test('what somebody wrote to us alone is deleted on the own account only', async () => {
  const id = await says(ME, { text: 'secret' })
  assert.equal((await remove({ phone: ANA, message_id: id, owner: 'false' })).status, 'sent')
  const { phones } = await stage.world.sandbox.get<{ phones: { phone: string; app_state: Record<string, Json> }[] }>('/state')
  const actions = phones.find(({ phone }) => phone === ME)!.app_state
  const index = Object.keys(actions).find((key) => key.includes(id)) ?? ''
  assert.ok(index.includes('deleteMessageForMe'), Object.keys(actions).join())
  assert.ok(Number(field(actions[index]!, 'deleteMessageForMeAction').messageTimestamp) > 0)
  const { message_id: next } = await stage.world.gateway.sendText(stage.instance, ANA, 'the next she gets')
  assert.equal((await stage.next(ANA)).id, next)
  const unknown = { phone: ANA, message_id: '3EB0000000000000000004', owner: 'false' }
  assert.equal((await remove(unknown)).error_code, 'message_not_found')
})

test('in a channel: a post, its reactions, its edit and its removal go under the number or id of the post', async () => {
  const { sandbox } = stage.world
  const { id } = await sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'News' })
  const posts = async () => (await sandbox.get<{ items: Json[] }>(`/newsletters/${id}/posts`)).items
  const sent = async (path: string, input: Json) => {
    const delivery = await stage.outcome(path, { phone: id, ...input })
    assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
    return String(delivery.message_id)
  }
  const post = await sent('/send-text', { message: 'first' })
  await sent('/send-reaction', { reaction: '👏', message_id: post })
  assert.deepEqual(column(await posts(), 'reactions'), [{ [ME]: '👏' }])
  await sent('/send-remove-reaction', { message_id: post })
  assert.deepEqual((await posts())[0]?.reactions, {})
  await sent('/send-text', { message: 'second', edit_message_id: post })
  assert.equal(field((await posts())[0]!, 'proto').conversation, 'second')
  const link = { message: 'https://a.example', link_url: 'https://a.example', title: 'A' }
  await sent('/send-link', link)
  assert.equal(field(field((await posts())[1]!, 'proto'), 'extendedTextMessage').title, 'A')
  const text = await says(ME, { text: 'forward me' })
  await sent('/forward-message', { message_id: text, message_phone: ANA })
  assert.equal(field(field((await posts())[2]!, 'proto'), 'extendedTextMessage').text, 'forward me')
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#128c7e' } })
    .png()
    .toBuffer()
  const image = await says(ME, { image: picture.toString('base64'), mime: 'image/png', caption: 'look' })
  await sent('/forward-message', { message_id: image, message_phone: ANA })
  const reposted = (await posts())[3]!
  const shown = field(field(reposted, 'proto'), 'imageMessage')
  assert.equal(shown.caption, 'look')
  assert.equal(shown.mediaKey ?? null, null, 'a channel gets the file as it is')
  assert.equal(shown.fileSha256, createHash('sha256').update(picture).digest('base64'))
  assert.equal(reposted.media_type, 'image')
  const unknown = { phone: id, reaction: '👏', message_id: '3EB0000000000000000005' }
  assert.equal((await stage.outcome('/send-reaction', unknown)).error_code, 'message_not_found')
  assert.equal((await remove({ phone: id, message_id: post, owner: 'true' })).status, 'sent')
  assert.equal((await posts()).length, 3)
})

test('typing is shown in the chat at once, availability for the whole account', async () => {
  const { sandbox, gateway } = stage.world
  type State = { phones: Json[]; contacts: { phone: string; heard: Json[] }[] }
  for (const presence of ['composing', 'recording', 'PAUSED'])
    assert.deepEqual(await gateway.must(stage.instance, 'POST', '/send-presence', { phone: ANA, presence }), { value: true })
  // The service reports the account as available only after the account has a name. The phone sends the name soon after
  // the pairing.
  await gateway.must(stage.instance, 'POST', '/send-presence', { presence: 'available' })
  for (const phone of ['nobody', '', 17, null, ANA])
    await gateway.must(stage.instance, 'POST', '/send-presence', { presence: 'Available', phone })
  // The contact receives this text after all earlier stanzas. So when the text has arrived, the earlier stanzas have
  // arrived, too.
  await stage.shown('/send-text', { phone: ANA, message: 'done' })
  const { phones, contacts } = await sandbox.get<State>('/state')
  const heard = contacts.find(({ phone }) => phone === ANA)!.heard.filter(({ kind }) => kind === 'chatstate')
  assert.deepEqual(column(heard.slice(-3), 'type'), ['composing', 'recording', 'paused'])
  const me = phones.find(({ phone }) => phone === ME) as { devices: { available: boolean }[] }
  assert.equal(me.devices[0]?.available, true)
  const { status } = await gateway.ask(stage.instance, 'POST', '/send-presence', { presence: 'composing' })
  assert.equal(status, 400)
})

test('a reaction is one emoji', async () => {
  for (const reaction of ['ok', '👍👍', ''])
    assert.equal((await stage.refused('/send-reaction', { phone: ANA, reaction, message_id: 'x' }))[0]?.path, 'reaction')
})
