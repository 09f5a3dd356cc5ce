/**
 * No received message may disappear without a trace. An undecryptable message is reported with its kind of encryption;
 * a message without an event is counted under a reason (`workers/shard/receive/unreported.ts`).
 */
import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { UNREPORTED, type Unreported } from '../../workers/shard/receive/unreported.ts'
import { ROOT } from '../harness/checkout.ts'
import { must } from '../harness/http.ts'
import { parse, total } from '../harness/prometheus.ts'
import type { StanzaJson } from '../harness/specimens.ts'
import { until } from '../harness/until.ts'
import { ANA, ANA_LID, BEN, type Event, ME, startStory } from './received/story.ts'

const story = await startStory({ webhooks: { notify_sent_by_me: true } }, { untraced: true, own: true })
await story.meetEverybody()
after(() => story.world.stop())

const b64 = (bytes: Uint8Array) => ({ b64: Buffer.from(bytes).toString('base64') })
const jid = (digits: string) => `${digits}@s.whatsapp.net`
const now = () => String(Math.floor(Date.now() / 1_000))
let ids = 0
const nextId = () => `UNOPENED${String(ids++).padStart(4, '0')}`

interface Raw {
  from: string
  id?: string
  attrs?: Record<string, string>
  content: StanzaJson[]
}

/** Makes the network deliver a message that the test has built, for messages that no device of the sandbox can make. */
async function deliver({ from, id = nextId(), attrs = {}, content }: Raw): Promise<string> {
  const node = ['message', { from, id, t: now(), type: 'text', ...attrs }, content]
  await story.world.sandbox.post('/stanzas', { phone: ME, node, keep: true })
  return id
}

const enc = (type: string, bytes: Uint8Array = randomBytes(80), attrs: Record<string, string> = {}): StanzaJson => [
  'enc',
  { v: '2', ...(type ? { type } : {}), ...attrs },
  b64(bytes),
]

const allConfirmed = () => until(story.world.sandbox.pending, (pending) => pending === 0)

const unreported = async (reason: Unreported): Promise<number> =>
  total(parse(await must<string>('GET', `${story.world.gateway.baseUrl}/metrics`)), 'svc_messages_unreported_total', { reason })

const eventsOf = (id: string) =>
  story.world.receiver.events('received').filter((event) => event.message_id === id) as unknown as Event[]

/** Secret of the messages that ask a bot. The test chooses it, so that it can encrypt the answer of the bot. */
const secret = randomBytes(32)
const asked = (text: string) => ({
  proto: { extendedTextMessage: { text }, messageContextInfo: { messageSecret: secret.toString('base64') } },
})

interface Answer {
  id: string
  author: string
  bot: string
  message: proto.IMessage
}

function sealedAnswer({ id, author, bot, message }: Answer): Uint8Array {
  const key = (from: Uint8Array, info: string) => Buffer.from(hkdfSync('sha256', from, Buffer.alloc(32), info, 32))
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key(key(secret, 'Bot Message'), `${id}${author}${bot}`), encIv)
  cipher.setAAD(Buffer.from(`${id}\0${bot}`))
  const plain = proto.Message.encode(message).finish()
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return proto.MessageSecretMessage.encode({ version: 1, encIv, encPayload }).finish()
}

const META_AI = '13135550002'
const BOT = '867051314767696@bot'
const text = (message: string) => ({ message, title: null, description: null, url: null })

test('the answer of a bot to what the own phone asked is told as its content', async () => {
  const { sandbox } = story.world
  await sandbox.createContact(META_AI, { name: 'Meta AI' })
  const { id: question } = await sandbox.sendFromPhone(ME, META_AI, asked('What is the time?'))
  await story.received(question)
  const bot = jid(META_AI)
  const id = nextId()
  const answer = { author: jid(ME), bot, message: { conversation: 'Noon.' } }
  const meta: StanzaJson = ['meta', { target_id: question }]
  await deliver({ from: bot, id, content: [enc('msmsg', sealedAnswer({ ...answer, id })), meta, ['bot', { edit: 'first' }]] })
  const event = await story.received(id)
  assert.deepEqual([event.message_type, event.phone, event.text], ['text', META_AI, text('Noon.')])
  // The encryption key of a continuation is derived from the id of the first part, so `sealedAnswer` gets that id. The
  // message key below names the first part, because the continuation replaces its content.
  const key = { remoteJid: bot, fromMe: true, id }
  const message = { protocolMessage: { key, type: 14, editedMessage: { conversation: 'Noon. Sharp.' } } }
  const rest = sealedAnswer({ ...answer, id, message })
  const last = await deliver({ from: bot, content: [enc('msmsg', rest), meta, ['bot', { edit: 'last', edit_target_id: id }]] })
  const edited = await story.received(last)
  assert.deepEqual([edited.message_id, edited.is_edit, edited.text], [id, true, text('Noon. Sharp.')])
})

test('so is its answer to a member of a group, and one to a message of a chat between two', async () => {
  const { sandbox } = story.world
  const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: BEN, participants: [ANA, ME] })
  const { id: inGroup } = await sandbox.send(ANA, group, asked('@Meta AI, hello?'))
  await story.received(inGroup)
  const id = nextId()
  const answer = { bot: BOT, message: { conversation: 'Hello Ana.' } }
  const target = { target_id: inGroup, target_sender_jid: ANA_LID }
  const bytes = sealedAnswer({ ...answer, id, author: ANA_LID })
  await deliver({ from: group, id, attrs: { participant: BOT }, content: [enc('msmsg', bytes), ['meta', target]] })
  const event = await story.received(id)
  assert.deepEqual([event.is_group, event.participant_phone, event.text], [true, BOT, text('Hello Ana.')])

  const { id: between } = await sandbox.send(ANA, ME, asked('@Meta AI, hello?'))
  await story.received(between)
  const other = nextId()
  const place = { target_id: between, target_chat_jid: jid(ANA) }
  const again = sealedAnswer({ ...answer, id: other, author: jid(ANA) })
  await deliver({ from: BOT, id: other, content: [enc('msmsg', again), ['meta', place]] })
  const private_ = await story.received(other)
  assert.deepEqual([private_.phone, private_.text], [BOT, text('Hello Ana.')])
})

// An earlier bug: if the answer of a bot could not be decrypted, it was acknowledged without an event.
test('an answer that cannot be opened is told once as unsupported, and confirmed without an error', async () => {
  const { sandbox } = story.world
  const match = { from: 'client', account: ME, tag: 'ack' }
  const bytes = sealedAnswer({ id: 'OTHER', author: jid(ME), bot: BOT, message: { conversation: 'For nobody.' } })
  for (const content of [enc('msmsg', bytes), enc('msmsg')]) {
    const id = nextId()
    const { id: expected } = await sandbox.post<{ id: string }>('/expect', { match: { ...match, attrs: { id } }, wait_ms: 0 })
    for (let time = 0; time < 2; time++)
      await deliver({ from: BOT, id, content: [content, ['meta', { target_id: 'NEVER-SEEN' }]] })
    const event = await story.received(id)
    assert.deepEqual([event.message_type, event.unsupported], ['unsupported', { proto_type: 'msmsg' }])
    await allConfirmed()
    const { items } = await sandbox.get<{ items: { node: StanzaJson }[] }>(`/expect/${expected}?wait_ms=15000`)
    assert.equal(items[0]?.node[1].error, undefined)
    assert.equal(eventsOf(id).length, 1)
  }
})

test('what another device of ours did to a channel is told, and so is a post that is no message', async () => {
  const { sandbox } = story.world
  const { id: channel } = await sandbox.post<{ id: string }>('/newsletters', { name: 'News', owner: ANA, subscribers: [ME] })
  const { id: post } = await sandbox.post<{ id: string }>(`/newsletters/${channel}/posts`, { message: { text: 'First' } })
  const { newsletter_server_id: server_id } = await story.received(post)
  const own = { server_id: String(server_id), is_sender: 'true' }
  const liked = await deliver({ from: channel, attrs: { ...own, type: 'reaction' }, content: [['reaction', { code: '👍' }]] })
  const { reaction, from_me } = (await story.received(liked)) as { reaction: Record<string, unknown>; from_me: boolean }
  assert.deepEqual([reaction.value, (reaction.referenced_message as Event).message_id, from_me], ['👍', post, true])
  const kinds: [Record<string, string>, StanzaJson[], string][] = [
    [{ ...own, server_id: '98765', type: 'reaction' }, [['reaction', { code: '👍' }]], 'reaction'],
    [{ ...own, type: 'poll' }, [['votes', {}]], 'votes'],
    [{}, [['plaintext', {}, b64(Buffer.alloc(24, 0xff))]], 'plaintext'],
    [{ type: 'media' }, [], 'media'],
    [{}, [enc('msg')], 'enc'],
  ]
  for (const [attrs, content, proto_type] of kinds) {
    const event = await story.received(await deliver({ from: channel, attrs, content }))
    assert.deepEqual(event.unsupported, { proto_type })
  }
})

/** For each reason why a message has no event, a function that makes such a message arrive. */
const WAYS: Record<Unreported, () => Promise<unknown>> = {
  async again() {
    const id = nextId()
    for (let time = 0; time < 2; time++) await deliver({ from: jid(ANA), id, content: [enc('later')] })
  },
  // A new device receives messages of this kind from its phone when it is paired, so this function does nothing.
  peer: async () => {},
  plumbing: () => story.world.sandbox.send(ANA, ME, { proto: { keepInChatMessage: { keepType: 1 } } }),
  hidden: () => deliver({ from: jid(ANA), content: [enc('later', randomBytes(40), { 'decrypt-fail': 'hide' })] }),
  async unwanted() {
    await webhooks({ received_url: null })
    await sendAndConfirm()
    await webhooks({ received_url: story.world.receiver.url })
  },
  async filtered() {
    await webhooks({ ignore_text: true })
    await sendAndConfirm()
    await webhooks({ ignore_text: false })
  },
  malformed: () =>
    story.world.sandbox.post('/stanzas', {
      phone: ME,
      node: ['message', { from: jid(ANA), t: now(), type: 'text' }, [enc('msg')]],
    }),
}

const webhooks = (changes: Record<string, unknown>) => story.world.gateway.must(story.instance, 'PUT', '/webhooks', changes)
async function sendAndConfirm() {
  await story.world.sandbox.send(ANA, ME, { text: 'for nobody' })
  await allConfirmed()
}

for (const reason of Object.keys(UNREPORTED) as Unreported[])
  test(`a message without an event is counted under its reason: ${reason}`, async () => {
    const before = reason === 'peer' ? 0 : await unreported(reason)
    await WAYS[reason]()
    await until(
      () => unreported(reason),
      (count) => count > before,
    )
    await allConfirmed()
  })

function encTypes(): string[] {
  const spec = new URL('../shared/spec/xml.json', ROOT)
  const known = ['pkmsg', 'msg', 'skmsg', 'msmsg', 'frskmsg', 'later', 'x'.repeat(200), '']
  if (!existsSync(spec)) return known
  const found = new Set<string>()
  const walk = (value: unknown, tag?: string) => {
    if (typeof value !== 'object' || value === null) return
    const { tag: own = tag, attrs } = value as { tag?: string; attrs?: { type?: { enumValues?: string[] } } }
    if (own === 'enc') for (const type of attrs?.type?.enumValues ?? []) found.add(type)
    for (const each of Object.values(value)) walk(each, own)
  }
  walk(JSON.parse(readFileSync(spec, 'utf8')))
  assert.ok(found.size > 0, 'the specification has no type of a ciphertext')
  return [...new Set([...known, ...found])]
}

const DANA = '5511988880077'
/** Senders of messages: at least one for each server (the part of a JID after the @) from which messages can come. */
const SENDERS: Pick<Raw, 'from' | 'attrs'>[] = [
  { from: jid(DANA) },
  { from: `${DANA}:4@s.whatsapp.net` },
  { from: `${DANA}@c.us` },
  { from: '81896604190077@lid' },
  { from: '81896604190077:99@hosted.lid' },
  { from: `${DANA}:99@hosted` },
  { from: '120363019502650977@g.us', attrs: { participant: '81896604190077:2@lid' } },
  { from: '120363019502650977@g.us', attrs: { participant: BOT } },
  { from: '120363019502650977@g.us' },
  { from: 'status@broadcast', attrs: { participant: jid(DANA) } },
  { from: '1718000000@broadcast', attrs: { participant: jid(DANA) } },
  { from: '120363166555745933@newsletter' },
  { from: BOT },
  { from: '1234567890@msgr' },
  { from: '1234567890@interop' },
  { from: 's.whatsapp.net' },
  // Messages that the account itself has sent from another device. Some name the chat, and some do not.
  { from: `${ME}:0@s.whatsapp.net`, attrs: { recipient: jid(DANA) } },
  { from: `${ME}:0@s.whatsapp.net`, attrs: { recipient: BOT } },
  { from: `${ME}:0@s.whatsapp.net` },
  { from: jid(DANA), attrs: { recipient: jid(BEN) } },
  { from: jid(DANA), attrs: { category: 'peer' } },
]

test('whatever a message is sealed with and whoever it is from: confirmed means told, once, or hidden', async () => {
  const told: string[] = []
  const hidden: string[] = []
  const hiddenBefore = await unreported('hidden')
  for (const type of encTypes())
    for (const sender of SENDERS)
      for (const attrs of [{}, { 'decrypt-fail': 'hide' }] as Record<string, string>[]) {
        const id = await deliver({ ...sender, content: [enc(type, randomBytes(60), attrs)] })
        // The attribute `decrypt-fail` says that a message only adds to another one and is not shown if it cannot be
        // decrypted. This does not apply to posts of channels, so these are reported.
        if ('decrypt-fail' in attrs && !sender.from.endsWith('@newsletter')) hidden.push(id)
        else told.push(id)
      }
  await allConfirmed()
  // When the device is unlinked, the service reports all messages that still wait for a readable copy.
  await story.world.sandbox.unlink(ME)
  await until(
    () => unreported('hidden'),
    (count) => count >= hiddenBefore + hidden.length,
  )
  await until(
    async () => told.filter((id) => eventsOf(id).length === 0),
    (missing) => missing.length === 0,
  )
  assert.deepEqual(
    told.filter((id) => eventsOf(id).length !== 1),
    [],
  )
  assert.deepEqual(
    hidden.filter((id) => eventsOf(id).length > 0),
    [],
  )
  assert.equal(await unreported('hidden'), hiddenBefore + hidden.length)
})
