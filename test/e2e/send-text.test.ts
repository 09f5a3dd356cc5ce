import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'

const world = await startWorld()
await world.sandbox.createContact(ANA, { name: 'Ana' })
await world.sandbox.createContact(BEN, { name: 'Ben', devices: 3 })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
after(() => world.stop())

const lastSeq = new Map<string, number>()
async function next(contact: string) {
  const [item] = await world.sandbox.inbox(contact, lastSeq.get(contact) ?? 0, 10_000)
  assert.ok(item, `nothing reached ${contact}`)
  lastSeq.set(contact, item.seq)
  return item
}
const deliveryOf = (messageId: string) =>
  world.receiver.waitFor(`delivery of ${messageId}`, ({ type, message_id }) => type === 'delivery' && message_id === messageId)
const receivedFrom = (id: string) =>
  world.receiver.waitFor(`received ${id}`, ({ type, message_id }) => type === 'received' && message_id === id)
type Proto = Record<string, never> & { extendedTextMessage?: { text?: string; contextInfo?: Record<string, unknown> } }
const infoOf = (proto: unknown) => (proto as Proto).extendedTextMessage?.contextInfo ?? {}

test('markup, emoji and line breaks arrive as they were sent', async () => {
  const text = '*bold* _it_ ~no~\n\n  👩‍👩‍👧 ünïcode  '
  const ack = await world.gateway.sendText(instance, ANA, text)
  const item = await next(ANA)
  assert.equal(item.id, ack.message_id)
  assert.equal(item.text, text)
})

test('65,536 characters arrive whole', async () => {
  const text = `${'x'.repeat(65_535)}!`
  await world.gateway.sendText(instance, ANA, text)
  assert.equal((await next(ANA)).text, text)
})

test('a contact with three devices and our own phone can all read it', async () => {
  const ack = await world.gateway.sendText(instance, BEN, 'to all of you')
  assert.equal((await next(BEN)).text, 'to all of you')
  assert.equal((await deliveryOf(ack.message_id)).status, 'sent')
})

test('a number without an account ends in phone_not_on_whatsapp', async () => {
  const ack = await world.gateway.sendText(instance, '5511988880000', 'hello?')
  const delivery = await deliveryOf(ack.message_id)
  assert.equal(delivery.status, 'failed')
  assert.equal(delivery.error_code, 'phone_not_on_whatsapp')
  assert.equal(typeof delivery.error_message, 'string')
})

test('a broadcast list ends in not_allowed', async () => {
  const ack = await world.gateway.sendText(instance, '123456@broadcast', 'hello')
  assert.equal((await deliveryOf(ack.message_id)).error_code, 'not_allowed')
})

test('a reply quotes the message to which it replies', async () => {
  const { id } = await world.sandbox.send(ANA, ME, { text: 'Which day?' })
  await receivedFrom(id)
  await world.gateway.sendText(instance, ANA, 'Monday', { reply_to_message_id: id })
  const info = infoOf((await next(ANA)).proto) as { stanzaId?: string; quotedMessage?: { conversation?: string } }
  assert.equal(info.stanzaId, id)
  assert.ok(JSON.stringify(info.quotedMessage).includes('Which day?'))
})

test('an answer to an unknown message ends in message_not_found', async () => {
  const ack = await world.gateway.sendText(instance, ANA, 'what?', { reply_to_message_id: '3EB0000000000000000000' })
  assert.equal((await deliveryOf(ack.message_id)).error_code, 'message_not_found')
})

test('an own text can be edited, another one cannot', async () => {
  const first = await world.gateway.sendText(instance, ANA, 'Order shiped')
  await next(ANA)
  const edit = await world.gateway.sendText(instance, ANA, 'Order shipped', { edit_message_id: first.message_id })
  const item = await next(ANA)
  const protocol = (item.proto as { protocolMessage?: { key?: { id?: string }; editedMessage?: unknown } }).protocolMessage
  assert.equal(protocol?.key?.id, first.message_id)
  assert.ok(JSON.stringify(protocol?.editedMessage).includes('Order shipped'))
  const delivery = await deliveryOf(edit.message_id)
  assert.equal(delivery.status, 'sent')
  assert.equal(delivery.reference_message_id, first.message_id)

  const { id } = await world.sandbox.send(ANA, ME, { text: 'mine' })
  await receivedFrom(id)
  const refused = await world.gateway.sendText(instance, ANA, 'yours', { edit_message_id: id })
  assert.equal((await deliveryOf(refused.message_id)).error_code, 'not_allowed')
})

test('what has no text is not edited into one', async () => {
  const poll = { phone: ANA, question: 'Which day?', options: ['Monday', 'Tuesday'] }
  const { message_id } = (await world.gateway.must(instance, 'POST', '/send-poll', poll)) as { message_id: string }
  await next(ANA)
  const edit = await world.gateway.sendText(instance, ANA, 'no poll', { edit_message_id: message_id })
  assert.equal((await deliveryOf(edit.message_id)).error_code, 'not_allowed')
  const text = await world.gateway.sendText(instance, ANA, 'no document')
  await next(ANA)
  const caption = { phone: ANA, edit_message_id: text.message_id, caption: 'x' }
  const document = (await world.gateway.must(instance, 'POST', '/send-document', caption)) as { message_id: string }
  assert.equal((await deliveryOf(document.message_id)).error_code, 'message_not_found')
})

test('a link gets a card from the page behind it, in an edit too, and none when asked for none', async () => {
  const page = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      '<html><head><title>x</title><meta property="og:title" content="Order 1042"><meta property="og:description" content="Ready"></head></html>',
    )
  })
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/o/1042`
  await world.gateway.sendText(instance, ANA, `See ${url} today`)
  const item = await next(ANA)
  const card = item.proto.extendedTextMessage as Record<string, unknown>
  assert.equal(card.title, 'Order 1042')
  assert.equal(card.description, 'Ready')
  assert.equal(card.matchedText, url)
  await world.gateway.sendText(instance, ANA, `See ${url} tomorrow`, { edit_message_id: item.id })
  const edited = (await next(ANA)).proto.protocolMessage as { editedMessage: { extendedTextMessage: Record<string, unknown> } }
  const { title, matchedText, text } = edited.editedMessage.extendedTextMessage
  assert.deepEqual({ title, matchedText, text }, { title: 'Order 1042', matchedText: url, text: `See ${url} tomorrow` })
  await world.gateway.sendText(instance, ANA, `See ${url} today`, { link_preview: false })
  const bare = (await next(ANA)).proto.extendedTextMessage as Record<string, unknown>
  assert.equal(bare.title ?? null, null)
  await new Promise((resolve) => page.close(resolve))
})

test('the page behind a link is asked for under our name, and read in the charset it declares', async (t) => {
  const agents: (string | undefined)[] = []
  // Pages for link previews: "注文" in Shift JIS, and "Pão – 5 €" in the encoding that web pages call ISO 8859-1. The
  // last page is longer than what the service reads of a page.
  const pages: Record<string, [type: string, body: Buffer, title: string]> = {
    '/jp': ['text/html', Buffer.from('<meta charset="shift_jis"><title>\x92\x8d\x95\xb6</title>', 'latin1'), '注文'],
    '/pt': ['text/html; charset=iso-8859-1', Buffer.from('<title>P\xe3o \x96 5 \x80</title>', 'latin1'), 'Pão – 5 €'],
    '/long': ['TEXT/HTML', gzipSync(`<title>Long</title><script>${'x'.repeat(5_000_000)}`), 'Long'],
  }
  const server = createServer(({ url, headers }, response) => {
    const [type, body] = pages[url!]!
    agents.push(headers['user-agent'])
    response.writeHead(200, { 'content-type': type, ...(url === '/long' ? { 'content-encoding': 'gzip' } : {}) }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const [path, [, , title]] of Object.entries(pages)) {
    await world.gateway.sendText(instance, ANA, `See ${base}${path}`)
    assert.equal(((await next(ANA)).proto.extendedTextMessage as Record<string, unknown>).title, title)
  }
  assert.deepEqual(new Set(agents), new Set(['Mozilla/5.0 (compatible; Svc-LinkPreview/1.0; link preview bot)']))
})

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing}: text, mentions, a mention of everybody, quotes and private replies`, async () => {
    const { id: group } = await world.sandbox.createGroup({
      subject: 'Team',
      owner: ANA,
      participants: [ANA, BEN, ME],
      addressing,
    })
    const chat = group.includes('@') ? `${group.split('@')[0]}-group` : group
    const ack = await world.gateway.sendText(instance, chat, 'hello group')
    assert.equal((await next(ANA)).text, 'hello group')
    assert.equal((await next(BEN)).text, 'hello group')
    const delivery = await deliveryOf(ack.message_id)
    assert.equal(delivery.status, 'sent')
    assert.equal(delivery.is_group, true)
    assert.equal(delivery.phone, chat)

    await world.gateway.sendText(instance, chat, `hi @${ANA}`, { mentions: [ANA] })
    const mention = await next(ANA)
    await next(BEN)
    const [mentioned] = infoOf(mention.proto).mentionedJid as string[]
    assert.ok(mentioned!.endsWith(addressing === 'lid' ? '@lid' : '@s.whatsapp.net'), `mentioned ${mentioned}`)
    assert.ok(mention.text!.includes(`@${mentioned!.split('@')[0]}`), `the text names the jid it mentions: ${mention.text}`)

    const edit = { edit_message_id: mention.id, mentions: [ANA], mention_all: true, reply_to_message_id: 'unknown' }
    await world.gateway.sendText(instance, chat, `hello @${ANA}`, edit)
    const { protocolMessage } = (await next(ANA)).proto as { protocolMessage: { editedMessage: Proto } }
    await next(BEN)
    const changed = protocolMessage.editedMessage.extendedTextMessage
    assert.equal(changed?.text, `hello @${mentioned!.split('@')[0]}`)
    assert.ok(((changed?.contextInfo?.mentionedJid ?? []) as string[]).includes(mentioned!))
    assert.equal(changed?.contextInfo?.nonJidMentions, 1)

    await world.gateway.sendText(instance, chat, 'all of you', { mention_all: true })
    const all = infoOf((await next(ANA)).proto)
    await next(BEN)
    assert.ok((all.mentionedJid as string[]).length >= 2)
    assert.equal(all.nonJidMentions, 1)

    const { id } = await world.sandbox.send(BEN, group, { text: 'who can help?' })
    const received = await receivedFrom(id)
    assert.equal(received.is_group, true)
    assert.equal(received.phone, chat)
    assert.equal(received.participant_phone, BEN)
    await next(ANA)
    await world.gateway.sendText(instance, chat, 'I can', { reply_to_message_id: id })
    assert.equal(infoOf((await next(BEN)).proto).stanzaId, id)
    await next(ANA)
    const named = { mentions: [ANA], mention_all: true }
    await world.gateway.sendText(instance, chat, `ask @${ANA}`, { reply_to_message_id: id, private_answer: true, ...named })
    const secret = await next(BEN)
    assert.equal(secret.text, `ask @${ANA}`)
    const { remoteJid, stanzaId, mentionedJid, nonJidMentions } = infoOf(secret.proto)
    assert.equal(remoteJid, group.includes('@') ? group : `${group.replace('-group', '')}@g.us`)
    assert.equal(stanzaId, id)
    assert.deepEqual(mentionedJid, [`${ANA}@s.whatsapp.net`], 'the chat with one person names others as its text does')
    assert.equal(nonJidMentions, undefined, 'nobody else is in that chat')
  })
}

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing}, somebody we never met is mentioned under the name the group uses`, async () => {
    const carla = addressing === 'lid' ? '5511988884001' : '5511988884002'
    const lid = `77${carla}`
    await world.sandbox.createContact(carla, { lid: `${lid}@lid` })
    const { id: group } = await world.sandbox.createGroup({
      subject: 'Strangers',
      owner: ANA,
      participants: [ANA, carla, ME],
      addressing,
    })
    const chat = `${group.split('@')[0]!.replace('-group', '')}-group`
    const [given, called] = addressing === 'lid' ? [carla, lid] : [`${lid}@lid`, carla]
    const message = `welcome @${given.replace('@lid', '')}`
    await world.gateway.sendText(instance, chat, message, { mentions: [given], mention_all: true })
    const { text, proto } = await next(carla)
    assert.equal(text, `welcome @${called}`)
    const all = infoOf(proto).mentionedJid as string[]
    assert.equal(all.filter((jid) => jid.startsWith(called)).length, 1, all.join())
    assert.equal(all.filter((jid) => jid.startsWith(given.replace('@lid', ''))).length, 0, all.join())
    await next(ANA)
  })
}

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing}, a number without its ninth digit is mentioned in its registered form`, async () => {
    const [dora, given] = addressing === 'lid' ? ['5511988885001', '551188885001'] : ['5511988885002', '551188885002']
    await world.sandbox.createContact(dora, { lid: `66${dora}@lid` })
    const { id: group } = await world.sandbox.createGroup({
      subject: 'Digits',
      owner: ANA,
      participants: [ANA, dora, ME],
      addressing,
    })
    const chat = `${group.split('@')[0]!.replace('-group', '')}-group`
    const called = addressing === 'lid' ? [`66${dora}`, '@lid'] : [dora, '@s.whatsapp.net']
    await world.gateway.sendText(instance, chat, `welcome @${given}`, { mentions: [given] })
    const { text, proto } = await next(dora)
    assert.equal(text, `welcome @${called[0]}`)
    assert.deepEqual(infoOf(proto).mentionedJid, [called.join('')])
    await next(ANA)

    const reaction = { phone: chat, message_id: 'FORGOTTEN', participant: given, reaction: '👍' }
    await world.gateway.must(instance, 'POST', '/send-reaction', reaction)
    const { key } = (await next(dora)).proto.reactionMessage as { key: { participant: string } }
    assert.equal(key.participant, called.join(''))
    await next(ANA)

    await world.gateway.sendText(instance, ANA, `ask @${given}`, { mentions: [given] })
    const told = await next(ANA)
    const [mentioned] = infoOf(told.proto).mentionedJid as string[]
    assert.equal(told.text, `ask @${mentioned!.split('@')[0]}`)
    assert.equal(mentioned, `${dora}@s.whatsapp.net`)
  })
}

test('a mentioned number without an account, or that cannot be asked about, does not hold the text up', async () => {
  const nobody = '5511988880000'
  for (const fault of [null, { on: 'query', match: { xmlns: 'usync' }, do: { query_error: [429, 'rate-overlimit'] } }]) {
    if (fault) await world.sandbox.fault(fault)
    await world.gateway.sendText(instance, ANA, `who is @${nobody}?`, { mentions: [nobody] })
    assert.equal((await next(ANA)).text, `who is @${nobody}?`)
    await world.sandbox.clearFaults()
  }
})

test('a group that is not ours ends in group_not_found or not_allowed', async () => {
  const ack = await world.gateway.sendText(instance, '120363000000000000-group', 'anybody?')
  assert.equal((await deliveryOf(ack.message_id)).error_code, 'group_not_found')
})

test('mentions that the text does not name are refused at once', async () => {
  const answer = await world.gateway.ask(instance, 'POST', '/send-text', { phone: ANA, message: 'hi', mentions: [BEN] })
  assert.equal(answer.status, 400)
  assert.deepEqual((answer.body.error as { details: { issues: unknown[] } }).details.issues, [
    { path: 'mentions.0', message: `must appear in the text as @${BEN}` },
  ])
})

test('the other namespace is tried once after 479, with the same id', async () => {
  await world.sandbox.fault({ on: 'message', do: { ack_error: 479 }, times: 1 })
  const ack = await world.gateway.sendText(instance, ANA, 'twice')
  assert.equal((await deliveryOf(ack.message_id)).status, 'sent')
  await world.sandbox.clearFaults()
  const item = await next(ANA)
  assert.equal(item.id, ack.message_id)
})

for (const [code, expected] of [
  [463, 'not_allowed'],
  [403, 'not_allowed'],
  [404, 'chat_not_found'],
  [429, 'action_failed'],
  [500, 'send_failed'],
] as const) {
  test(`an ack with error ${code} ends in ${expected}`, async () => {
    await world.sandbox.fault({ on: 'message', do: { ack_error: code }, times: 2 })
    const ack = await world.gateway.sendText(instance, ANA, `refused ${code}`)
    const delivery = await deliveryOf(ack.message_id)
    assert.equal(delivery.status, 'failed')
    assert.equal(delivery.error_code, expected)
    await world.sandbox.clearFaults()
  })
}

test('messages of one instance leave in order, one at a time', async () => {
  const { id: _ } = await world.sandbox.send(ANA, ME, { text: 'go' })
  const items = await world.sandbox.inbox(ANA, 0)
  const from = Math.max(...items.map(({ seq }) => seq))
  const texts = Array.from({ length: 20 }, (_, index) => `in order ${index}`)
  for (const text of texts) await world.gateway.sendText(instance, ANA, text)
  const seen: string[] = []
  for (let after = from; seen.length < texts.length; ) {
    const more = await world.sandbox.inbox(ANA, after, 5_000)
    assert.ok(more.length > 0, `only ${seen.length} arrived`)
    seen.push(...more.map(({ text }) => text ?? ''))
    after = more.at(-1)!.seq
  }
  assert.deepEqual(seen, texts)
})

test('own messages are reported once with from_api when that is switched on', async () => {
  await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: true })
  const ack = await world.gateway.sendText(instance, BEN, 'from the API')
  const own = await receivedFrom(ack.message_id)
  assert.equal(own.from_me, true)
  assert.equal(own.from_api, true)
  assert.equal(own.status, 'sent')
  assert.equal(own.phone, BEN)
  const { id } = await world.sandbox.sendFromPhone(ME, BEN, { text: 'from the phone' })
  const typed = await receivedFrom(id)
  assert.equal(typed.from_me, true)
  assert.equal(typed.from_api, false)
  assert.equal(typed.phone, BEN)
  assert.deepEqual((typed.text as { message: string }).message, 'from the phone')
  await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: false })
  const ids = world.receiver.events('received').map(({ message_id }) => message_id)
  assert.equal(ids.filter((each) => each === ack.message_id).length, 1)
})
