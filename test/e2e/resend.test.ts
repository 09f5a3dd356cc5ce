/**
 * A device that cannot decrypt a message requests it again. The second stanza must equal the first, apart from the
 * recipients, the encryption, the retry count and the nodes in `APART`.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { MessageCopy } from '../../packages/sandbox/src/testing.ts'
import { column } from '../harness/columns.ts'
import * as files from '../harness/media-files.ts'
import { createTeams } from '../harness/places.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'
const EVA = '5511988880003'

/**
 * Number of copies that the devices of contacts and the phone of the account could not decrypt. At the end, the network
 * must have counted the same number.
 */
let unread = 0

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana', devices: 2 })
await sandbox.createContact(BEN, { name: 'Ben' })
await sandbox.createContact(EVA, { name: 'Eva' })
await sandbox.post(`/phones/${ME}/contacts`, { phone: ANA, name: 'Ana' })
const groups = await createTeams(sandbox, [ANA, BEN, ME])
await stage.named()
after(() => stage.world.stop({ undecryptable: unread }))

async function copies(phone: string, id: string, wanted: number): Promise<MessageCopy[]> {
  for (const deadline = Date.now() + 15_000; ; ) {
    const { items } = await stage.world.sandbox.get<{ items: MessageCopy[] }>(`/contacts/${phone}/copies/${id}`)
    if (items.length >= wanted) return items
    assert.ok(Date.now() < deadline, `${phone} has ${items.length} of ${wanted} copies of ${id}: ${JSON.stringify(items)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const damage = (times = 1) =>
  stage.world.sandbox.fault({ on: 'message', match: { direction: 'from_client' }, do: { corrupt: true }, times })

async function send(path: string, input: Json, method = 'POST'): Promise<string> {
  const { message_id } =
    method === 'POST'
      ? await stage.world.gateway.must(stage.instance, 'POST', path, input)
      : await stage.world.gateway.must(stage.instance, method, path)
  const delivery = await stage.deliveryOf(String(message_id))
  assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
  return String(message_id)
}

/** Tags of nodes that may differ between the first stanza of a message and its repetition. */
const APART = new Set(['enc', 'participants', 'reporting', 'tctoken', 'device-identity'])
function said({ attrs, nodes, tags, enc }: MessageCopy) {
  const { to, participant, recipient, device_fanout, phash, peer_recipient_pn, ...rest } = attrs
  const { type, count, ...inner } = enc.at(-1) ?? {}
  return { attrs: rest, nodes, enc: inner, tags: [...new Set(tags.filter((tag) => !APART.has(tag)))].sort() }
}

function pair(all: MessageCopy[], device: number): [MessageCopy, MessageCopy] {
  const own = all.filter((copy) => copy.device === device)
  assert.deepEqual(column(own, 'read'), [false, true], JSON.stringify(own))
  const [first, again] = own as [MessageCopy, MessageCopy]
  assert.deepEqual(said(again), said(first))
  assert.deepEqual(
    again.tags.filter((tag) => tag === 'enc' || tag === 'participants'),
    ['enc'],
    'sealed once, for one',
  )
  assert.ok(again.tags.includes('device-identity'), 'without the identity of our device')
  assert.equal(again.enc[0]?.count, '1')
  return [first, again]
}

const heard = async (message: Json, to = ME) => {
  const { id } = await stage.world.sandbox.send(ANA, to, message)
  await stage.world.receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
  return id
}

interface Family {
  path: string
  input: Json | (() => Promise<Json>)
  /** Name of the field with the message's content in the inbox. */
  kind: string
  attrs?: Record<string, string>
  enc?: Record<string, string>
  /** Tags of the additional nodes of the stanza. */
  nodes?: string[]
  method?: string
}

const picture = async () => `data:image/jpeg;base64,${(await files.image('jpeg')).toString('base64')}`
const EVENT = { name: 'Planning', date_time: '2030-03-02T14:00:00Z' }
const media = { type: 'media' }

const FAMILIES: Record<string, Family> = {
  'a text': { path: '/send-text', input: { message: 'hi' }, kind: 'text', attrs: { type: 'text' } },
  'a link': {
    path: '/send-link',
    input: { message: 'see', link_url: 'https://site.example/', title: 'Site', link_description: 'All of it' },
    kind: 'text',
    attrs: { type: 'text' },
  },
  'a poll': {
    path: '/send-poll',
    input: { question: 'Which?', options: ['a', 'b'] },
    kind: 'poll',
    attrs: { type: 'poll' },
    nodes: ['meta'],
  },
  'an event': { path: '/send-event', input: { event: EVENT }, kind: 'event', attrs: { type: 'event' }, nodes: ['meta'] },
  'a place': {
    path: '/send-location',
    input: { title: 'Here', address: 'Street 1', latitude: 1, longitude: 2 },
    kind: 'location',
    attrs: media,
  },
  'a contact': {
    path: '/send-contact',
    input: { contact_name: 'Support', contact_phone: '5511900001111' },
    kind: 'contact',
    attrs: media,
    enc: { mediatype: 'vcard' },
  },
  'a picture': {
    path: '/send-image',
    input: async () => ({ image: await picture(), caption: 'see' }),
    kind: 'image',
    attrs: media,
    enc: { mediatype: 'image' },
  },
  'a picture seen once': {
    path: '/send-image',
    input: async () => ({ image: await picture(), view_once: true }),
    kind: 'image',
    attrs: media,
    enc: { mediatype: 'image' },
  },
  'a document with a caption': {
    path: '/send-document/txt',
    input: { document: `data:text/plain;base64,${Buffer.from('hello').toString('base64')}`, caption: 'read' },
    kind: 'document',
    attrs: media,
    enc: { mediatype: 'document' },
  },
}

const INTERACTIVE: Record<string, Family> = {
  buttons: {
    path: '/send-buttons',
    input: { message: 'Which?', button_actions: [{ type: 'reply', label: 'Yes', id: 'yes' }] },
    kind: 'interactive',
    nodes: ['biz', 'bot'],
  },
  'a list': {
    path: '/send-option-list',
    input: { message: 'Pick', option_list: { title: 'All', button_label: 'Open', options: [{ title: 'a' }] } },
    kind: 'interactive',
    nodes: ['biz', 'bot'],
  },
  'a carousel': {
    path: '/send-carousel',
    input: async () => ({ message: 'Plans', carousel: [{ text: 'Basic', image: await picture() }] }),
    kind: 'interactive',
    nodes: ['biz', 'bot'],
  },
  'a Pix key': {
    path: '/send-button-pix',
    input: { pix_key: 'a@b.example', type: 'email' },
    kind: 'interactive',
    nodes: ['biz'],
  },
}

const ABOUT_OTHERS: Record<string, Family> = {
  'a reaction': {
    path: '/send-reaction',
    input: async () => ({ reaction: '👍', message_id: await heard({ text: 'nice?' }) }),
    kind: 'reaction',
    attrs: { type: 'reaction' },
    enc: { 'decrypt-fail': 'hide' },
  },
  'a reaction taken back': {
    path: '/send-remove-reaction',
    input: async () => ({ message_id: await heard({ text: 'nice?' }) }),
    kind: 'reaction',
    attrs: { type: 'reaction', edit: '7' },
  },
  'a pin': {
    path: '/pin-message',
    input: async () => ({
      message_id: await heard({ text: 'keep' }),
      message_action: 'pin',
      pin_message_duration: '7_days',
    }),
    kind: 'pin',
    attrs: { type: 'text', edit: '2' },
    enc: { 'decrypt-fail': 'hide' },
  },
  'a vote': {
    path: '/send-poll-vote',
    input: async () => ({
      poll_message_id: await heard({ poll: { question: 'Which?', options: ['a', 'b'], max: 1 } }),
      options: ['a'],
    }),
    kind: 'poll_vote',
    attrs: { type: 'poll' },
    nodes: ['meta'],
  },
  'an edit': {
    path: '/send-text',
    input: async () => ({ message: 'better', edit_message_id: await send('/send-text', { phone: ANA, message: 'good' }) }),
    kind: 'edit',
    attrs: { type: 'text', edit: '1' },
  },
}

async function sentDamaged(phone: string, { path, input }: Family): Promise<string> {
  const body = { phone, ...(typeof input === 'function' ? await input() : input) }
  await damage()
  return send(path, body)
}

function isAs(family: Family, first: MessageCopy) {
  for (const [name, value] of Object.entries(family.attrs ?? {})) assert.equal(first.attrs[name], value, name)
  for (const [name, value] of Object.entries(family.enc ?? {})) assert.equal(first.enc.at(-1)?.[name], value, name)
  assert.deepEqual(column(first.nodes, 'tag'), family.nodes ?? [])
}

async function shownAs(phone: string, id: string, kind: string) {
  const item = (await stage.world.sandbox.inbox(phone)).find((each) => each.id === id)
  assert.equal(item?.kind, kind)
  return item!
}

for (const [name, family] of Object.entries({ ...FAMILIES, ...INTERACTIVE, ...ABOUT_OTHERS }))
  test(`${name} is sent again as it was, to each device of the person and to the own phone`, async () => {
    const id = await sentDamaged(ANA, family)
    // Ana's phone, her other device and the phone of the account could not decrypt the first copy. Each has requested
    // another one.
    const hers = await copies(ANA, id, 4)
    const ours = await copies(ME, id, 2)
    unread += 3
    const [first, again] = pair(hers, 0)
    isAs(family, first)
    assert.equal(again.attrs.to, first.attrs.to)
    assert.equal(again.attrs.device_fanout, 'false')
    const [, linked] = pair(hers, 1)
    assert.match(String(linked.attrs.to), /:1@/)
    const [, own] = pair(ours, 0)
    assert.equal(own.attrs.recipient, first.attrs.to)
    assert.deepEqual(column([again, linked, own], 'device_sent'), [false, false, true])
    const item = await shownAs(ANA, id, family.kind)
    assert.equal(item.retries, 1)
    const mine = await shownAs(ME, id, family.kind)
    assert.deepEqual(mine.proto, item.proto)
  })

for (const addressing of ['lid', 'pn'] as const)
  for (const [name, family] of Object.entries({
    'a text that names somebody': { ...FAMILIES['a text']!, input: { message: `hi @${BEN}`, mentions: [BEN] } },
    'a poll': FAMILIES['a poll']!,
    'a picture seen once': FAMILIES['a picture seen once']!,
    buttons: { ...INTERACTIVE.buttons!, nodes: ['biz'] },
  }))
    test(`${name} in a group addressed by ${addressing} is sent again with the sender key, to who asked`, async () => {
      const id = await sentDamaged(groups[addressing].chat, family)
      const hers = await copies(ANA, id, 4)
      const bens = await copies(BEN, id, 2)
      await copies(ME, id, 2)
      unread += 4
      const [first, again] = pair(hers, 0)
      isAs({ ...family, attrs: { ...family.attrs, addressing_mode: addressing } }, first)
      assert.equal(again.attrs.to, groups[addressing].jid)
      assert.match(String(again.attrs.participant), addressing === 'lid' ? /^\d+@lid$/ : /^\d+@s\.whatsapp\.net$/)
      pair(hers, 1)
      pair(bens, 0)
      await shownAs(BEN, id, family.kind)
      // The message that is sent again also contains the sender key for later messages, and so does the next message in
      // the group.
      const { proto } = await shownAs(ANA, id, family.kind)
      assert.ok(proto.senderKeyDistributionMessage, 'without the sender key')
      const next = await send('/send-text', { phone: groups[addressing].chat, message: 'and now' })
      for (const phone of [ANA, BEN])
        assert.deepEqual((await copies(phone, next, 1)).map(({ read, enc }) => [read, enc.length]).at(0), [true, 2])
    })

test('a message that is deleted in a group is deleted also for who asks again', async () => {
  const { chat } = groups.lid
  const target = await send('/send-text', { phone: chat, message: 'wrong' })
  await damage()
  const id = await send(`/messages?${new URLSearchParams({ phone: chat, message_id: target, owner: 'true' })}`, {}, 'DELETE')
  const hers = await copies(ANA, id, 4)
  await copies(BEN, id, 2)
  await copies(ME, id, 2)
  unread += 4
  const [first] = pair(hers, 0)
  assert.equal(first.attrs.edit, '7')
  await shownAs(ANA, id, 'revoke')
})

test('a status is sent again, as a status, to a person who requests it', async () => {
  await damage()
  const id = await send('/send-text-status', { message: 'Open until 22h' })
  const hers = await copies(ANA, id, 4)
  await copies(ME, id, 2)
  unread += 3
  const [first, again] = pair(hers, 0)
  assert.equal(first.attrs.addressing_mode, 'lid')
  assert.deepEqual(first.nodes, [{ tag: 'meta', attrs: { status_setting: 'contacts' } }])
  assert.equal(again.attrs.to, 'status@broadcast')
  assert.equal((await shownAs(ANA, id, 'text')).chat, 'status@broadcast')
})

const asks = (phone: string, id: string, more: Json = {}) =>
  stage.world.sandbox.post(`/contacts/${phone}/retry`, { to: ME, id, ...more })
const received = async (phone: string, message: string) => {
  const id = await send('/send-text', { phone, message })
  await copies(phone, id, 1)
  return id
}

test('somebody who knows the id of a message to others is not given it', async () => {
  const secret = await received(ANA, 'for Ana alone')
  const own = await received(EVA, 'for Eva')
  await asks(EVA, secret)
  await asks(EVA, own)
  // The service answers retry requests in order. So when the answer to this request has arrived, the earlier request
  // has been handled.
  await copies(EVA, own, 2)
  assert.deepEqual(await copies(EVA, secret, 0), [])
  await asks(ANA, secret)
  assert.equal((await copies(ANA, secret, 3)).filter(({ device }) => device === 0).length, 2)
})

test('a status is not given to somebody it was not for, whoever told them its id', async () => {
  const status = await send('/send-text-status', { message: 'For my contacts' })
  await copies(ANA, status, 2)
  const own = await received(EVA, 'for Eva')
  await asks(EVA, status, { chat: 'status@broadcast' })
  await asks(EVA, own)
  await copies(EVA, own, 2)
  assert.deepEqual(await copies(EVA, status, 0), [])
  await asks(ANA, status, { chat: 'status@broadcast' })
  await copies(ANA, status, 3)
})

test('a message is sent again five times to a device, not more', async () => {
  const id = await received(EVA, 'once more')
  const marker = await received(EVA, 'marker')
  for (let count = 1; count <= 7; count++) await asks(EVA, id, { count })
  await asks(EVA, marker)
  await copies(EVA, marker, 2)
  const counts = (await copies(EVA, id, 6)).map(({ read, enc }) => [read, enc[0]?.count])
  assert.deepEqual(
    counts,
    [undefined, '1', '2', '3', '4', '5'].map((count) => [true, count]),
  )
})

test('requests for messages that are not stored are acknowledged, and cause no other stanza', async () => {
  const FLOOD = 500
  const marker = await received(EVA, 'after the flood')
  const { sandbox } = stage.world
  const before = (await sandbox.stats()).stanzas_in
  await asks(EVA, 'NOBODYS', { times: FLOOD, keys: false })
  await asks(EVA, marker)
  await copies(EVA, marker, 2)
  const cost = (await sandbox.stats()).stanzas_in - before
  assert.ok(cost >= FLOOD && cost < FLOOD + 20, `${cost} stanzas`)
  assert.deepEqual(await copies(EVA, 'NOBODYS7', 0), [])
})

test('many messages asked for without keys are sealed with one new session', async () => {
  const MANY = 30
  const ids: string[] = []
  for (let n = 0; n < MANY; n++) ids.push(await received(BEN, `text ${n}`))
  const { sandbox } = stage.world
  const before = (await sandbox.stats()).stanzas_in
  for (const id of ids) await asks(BEN, id, { keys: false })
  for (const id of ids) assert.equal((await copies(BEN, id, 2)).at(-1)?.read, true)
  const cost = (await sandbox.stats()).stanzas_in - before
  // Each message causes about four stanzas of the service. If the service also queried keys for each message, there
  // would be `MANY` more.
  assert.ok(cost < 4.5 * MANY, `${cost} stanzas`)
})

test('after a restart a message is still sent again as it was', async () => {
  const { world, instance } = stage
  const id = await send('/send-buttons', { phone: EVA, ...(INTERACTIVE.buttons!.input as Json) })
  const [first] = await copies(EVA, id, 1)
  await world.restartService()
  await world.gateway.waitForStatus(instance, 'connected')
  await asks(EVA, id, { keys: false })
  const [, again] = await copies(EVA, id, 2)
  assert.deepEqual(said(again!), said(first!))
  assert.equal(again!.read, true)
})
