import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  type AuthenticationCreds,
  type BaileysEventMap,
  downloadMediaMessage,
  initAuthCreds,
  makeWASocket,
  type SignalDataSet,
  type SignalKeyStore,
  WA_CERT_DETAILS,
  type WAMessage,
} from '@whiskeysockets/baileys'
import pino from 'pino'
import { toDataURL } from 'qrcode'
import { silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { libraryTrace, type SandboxThread, startSandboxThread } from '../harness/network.ts'
import '../harness/library-deadlines.ts'
import { type MediaRoute, mediaRoute } from './media-route.ts'

/** Tests the sandbox network, which runs in its own thread, with an unmodified Baileys client. */

const PHONE = '5511900000001'
const CONTACT = '5511900000002'
// The client also loads libsignal in this thread, so the console output of libsignal must be suppressed here, too.
silenceLibsignal()

/** Time limit in ms for an event. */
const PATIENCE = 20_000

let network: SandboxThread

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(network.controlUrl + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function asked(method: string, path: string, body?: unknown) {
  const answer = await control(method, path, body)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

function memoryKeys(): SignalKeyStore {
  const kept = new Map<string, unknown>()
  return {
    get: async (type, ids) => Object.fromEntries(ids.map((id) => [id, kept.get(`${type} ${id}`)]).filter(([, value]) => value)),
    set: async (data: SignalDataSet) => {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value === null || value === undefined) kept.delete(`${type} ${id}`)
          else kept.set(`${type} ${id}`, value)
        }
      }
    },
  }
}

function createClient() {
  const creds: AuthenticationCreds = initAuthCreds()
  const keys = memoryKeys()
  let socket: ReturnType<typeof makeWASocket>
  const history: { name: string; data: unknown }[] = []
  const watchers = new Set<() => void>()
  let route: MediaRoute

  async function connect() {
    route = await mediaRoute(network.network)
    WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(network.network.root, 'base64')
    socket = makeWASocket({
      waWebSocketUrl: network.network.url,
      auth: { creds, keys },
      logger: pino({ level: process.env.BAILEYS_LOG ?? 'silent' }),
      ...route.options,
      getMessage: async () => undefined,
    })
    socket.ev.process((events) => {
      for (const [name, data] of Object.entries(events)) {
        if (name === 'creds.update') Object.assign(creds, data)
        history.push({ name, data })
      }
      for (const watch of watchers) watch()
    })
  }

  /** Resolves with the data of the first event that fits. The event may arrive before or after this call. */
  function seen<N extends keyof BaileysEventMap>(
    name: N,
    fits: (data: BaileysEventMap[N]) => boolean,
  ): Promise<BaileysEventMap[N]> {
    const find = () => history.find((event) => event.name === name && fits(event.data as BaileysEventMap[N]))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(watch)
        reject(new Error(`no ${name} in time; there were ${history.map((event) => event.name).join(', ')}`))
      }, PATIENCE)
      function watch() {
        const found = find()
        if (!found) return
        clearTimeout(timer)
        watchers.delete(watch)
        resolve(found.data as BaileysEventMap[N])
      }
      watchers.add(watch)
      watch()
    })
  }

  async function message(id: string): Promise<WAMessage> {
    const has = (found: WAMessage) => found.key.id === id && found.message !== null && found.message !== undefined
    const { messages } = await seen('messages.upsert', (upsert) => upsert.messages.some(has))
    return messages.find(has)!
  }

  return {
    connect,
    seen,
    message,
    forget: () => history.splice(0),
    get socket() {
      return socket
    },
    download: (found: WAMessage) => downloadMediaMessage(found, 'buffer', { options: route.options.options! }),
    async close() {
      await socket.end(undefined)
      await route.close()
    },
  }
}

async function inbox(after: number) {
  const { items } = await asked('GET', `/contacts/${CONTACT}/inbox?after=${after}&wait_ms=20000`)
  return items as {
    seq: number
    id: string
    kind: string
    text: string | null
    media: { mime: string; bytes: number; sha256: string } | null
  }[]
}

const dataDir = await mkdtemp(join(tmpdir(), 'svc-sandbox-'))
network = await startSandboxThread({ dataDir, trace: libraryTrace() })
const client = createClient()

after(async () => {
  await client.close()
  await network.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('a phone scans the picture of the code and the client is linked', async () => {
  await asked('POST', '/phones', { phone: PHONE, name: 'Ann', history: { chats: 2, contacts: 2 } })
  await asked('POST', '/contacts', { phone: CONTACT, name: 'Ben' })
  await client.connect()
  const { qr } = await client.seen('connection.update', (update) => update.qr !== undefined)
  const { device } = await asked('POST', `/phones/${PHONE}/scan`, { image: await toDataURL(qr!, { width: 512 }) })
  assert.equal(typeof device, 'number')
  await client.seen('connection.update', (update) => update.connection === 'close')
  client.forget()
  await client.connect()
  await client.seen('connection.update', (update) => update.connection === 'open')
  assert.match(client.socket.user?.id ?? '', new RegExp(`^${PHONE}:${device}@`))
})

test('a code nobody shows any more is a conflict', async () => {
  const stale = await toDataURL('https://wa.me/settings/linked_devices#2@nobody,AAAA,BBBB,CCCC,1', { width: 512 })
  const answer = await control('POST', `/phones/${PHONE}/scan`, { image: stale })
  assert.deepEqual([answer.status, (answer.body.error as { code: string }).code], [409, 'conflict'])
})

test('a text reaches the contact, who reads it and echoes it', async () => {
  const sent = await client.socket.sendMessage(`${CONTACT}@s.whatsapp.net`, { text: 'echo hello there' })
  const [item] = await inbox(0)
  assert.deepEqual([item?.id, item?.kind, item?.text], [sent?.key.id, 'text', 'echo hello there'])
  const isEcho = (found: WAMessage) =>
    found.message?.conversation === 'hello there' || found.message?.extendedTextMessage?.text === 'hello there'
  await client.seen('messages.upsert', ({ messages }) => messages.some(isEcho))
})

test('every form of message a contact sends is read by the client', async () => {
  const send = async (message: Record<string, unknown>) =>
    (await asked('POST', `/contacts/${CONTACT}/send`, { to: PHONE, message })).id as string
  const original = await send({ text: 'first' })
  assert.equal((await client.message(original)).message?.conversation, 'first')
  const reaction = await send({ reaction: { message_id: original, emoji: '👍' } })
  assert.equal((await client.message(reaction)).message?.reactionMessage?.text, '👍')
  const quoting = await send({ text: 'second', quote: original })
  assert.equal((await client.message(quoting)).message?.extendedTextMessage?.contextInfo?.stanzaId, original)
  const edit = await send({ edit: { message_id: original, text: 'changed' } })
  const edited = (await client.message(edit)).message
  assert.equal(
    (edited?.protocolMessage ?? edited?.editedMessage?.message?.protocolMessage)?.editedMessage?.conversation,
    'changed',
  )
  const revoke = await send({ revoke: { message_id: quoting } })
  assert.equal((await client.message(revoke)).message?.protocolMessage?.key?.id, quoting)
  const place = await send({ location: { latitude: 1, longitude: 2 } })
  assert.equal((await client.message(place)).message?.locationMessage?.degreesLongitude, 2)
  const poll = await send({ poll: { question: 'Q?', options: ['a', 'b'], max: 1 } })
  assert.equal((await client.message(poll)).message?.pollCreationMessageV3?.name, 'Q?')
  const vote = await send({ poll_vote: { message_id: poll, options: ['b'] } })
  assert.equal((await client.message(vote)).message?.pollUpdateMessage?.pollCreationMessageKey?.id, poll)
})

test('media of a contact is downloaded and opened by the client', async () => {
  const picture = randomBytes(70_000)
  const message = { image: picture.toString('base64'), mime: 'image/jpeg', caption: 'see' }
  const { id } = await asked('POST', `/contacts/${CONTACT}/send`, { to: PHONE, message })
  assert.deepEqual(await client.download(await client.message(id as string)), picture)
})

test('media of the client is uploaded and seen by the contact', async () => {
  const last = (await inbox(0)).at(-1)!.seq
  const document = randomBytes(30_000)
  await client.socket.sendMessage(`${CONTACT}@s.whatsapp.net`, { document, mimetype: 'application/pdf', fileName: 'a.pdf' })
  const [item] = await inbox(last)
  const sha256 = createHash('sha256').update(document).digest('hex')
  assert.equal(item?.kind, 'document')
  assert.deepEqual(item?.media, { mime: 'application/pdf', bytes: 30_000, sha256 })
})

test('a fault of uploads is felt by the client, once', async () => {
  const last = (await inbox(0)).at(-1)!.seq
  await asked('POST', '/faults', { on: 'upload', do: { http_status: 503 }, times: 1 })
  const send = () =>
    client.socket.sendMessage(`${CONTACT}@s.whatsapp.net`, { document: randomBytes(10), mimetype: 'a/b', fileName: 'f' })
  await assert.rejects(send())
  await send()
  assert.equal((await inbox(last)).length, 1)
})

test('a message of a group reaches the client', async () => {
  const { id } = await asked('POST', '/groups', { subject: 'Team', owner: CONTACT, participants: [PHONE] })
  const sent = await asked('POST', `/contacts/${CONTACT}/send`, { to: id, message: { text: 'to all' } })
  const found = await client.message(sent.id as string)
  assert.deepEqual([found.key.remoteJid, found.message?.conversation], [id, 'to all'])
})

test('the paired phone is found again after a restart of the network', async () => {
  client.forget()
  await client.close()
  await network.stop()
  network = await startSandboxThread({ dataDir, trace: libraryTrace() })
  await client.connect()
  await client.seen('connection.update', (update) => update.connection === 'open')
  const { id } = await asked('POST', `/contacts/${CONTACT}/send`, { to: PHONE, message: { text: 'welcome back' } })
  assert.equal((await client.message(id as string)).message?.conversation, 'welcome back')
})

test('nothing was undecryptable and no query was unknown', async () => {
  const { undecryptable, unknown_queries } = await asked('GET', '/stats')
  assert.deepEqual([undecryptable, unknown_queries], [0, []])
})
