import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { decodeSyncdSnapshot, extractSyncdPatches } from '@whiskeysockets/baileys/lib/Utils/chat-utils.js'
import { createTrace, type StanzaJson, silenceLibsignal, type TraceLine, toJson } from '../../packages/sandbox/src/testing.ts'
import { ask, must } from '../harness/http.ts'
import { type Simulator, startSandboxThread } from '../harness/network.ts'
import { createSandbox } from '../harness/sandbox.ts'
import { connect, jidOf, lastQr, login, received } from './client.ts'
import { mediaRoute } from './media-route.ts'

/**
 * Tests the sandbox with a client that uses only its public interfaces. The client gets the addresses that the network
 * reports at its start, and does everything else with the control API.
 */

// The client also loads libsignal in this thread, so the console output of libsignal must be suppressed here, too.
silenceLibsignal()

const PHONE = '5511900000001'
const CONTACT = '5511900000002'

const dir = await mkdtemp(join(tmpdir(), 'svc-watch-'))
const network = await startSandboxThread({ dataDir: join(dir, 'network'), controlPort: 0, trace: join(dir, 'trace.jsonl') })
const sandbox = createSandbox(network.controlUrl)
await sandbox.createPhone(PHONE)
await sandbox.createContact(CONTACT, { name: 'Ben' })
const { url, root } = network.network
const route = await mediaRoute(network.network)
const first = connect({ url, root } as Simulator, undefined, route.options)
await sandbox.scan(PHONE, await lastQr(first))
await first.ended()
const client = await login({ url, root } as Simulator, first.auth, route.options)
await client.until(() => client.events['messaging-history.set']?.some((set) => set.progress === 100), 'recent history')
while ((await sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))

after(async () => {
  await client?.close()
  await route?.close()
  await network?.stop()
  await rm(dir, { recursive: true, force: true })
})

interface Expected {
  id: string
  complete: boolean
  items: TraceLine[]
}

/**
 * Starts to record stanzas that match. The returned function waits for them, and returns also those that arrived before
 * its call.
 */
async function expectation(match: Record<string, unknown>, count = 1): Promise<() => Promise<TraceLine[]>> {
  const { id } = await sandbox.post<Expected>('/expect', { match, count, wait_ms: 0 })
  return async () => {
    const found = await sandbox.get<Expected>(`/expect/${id}?wait_ms=20000`)
    assert.ok(found.complete, `in vain for ${JSON.stringify(match)}: ${JSON.stringify(found.items)}`)
    return found.items
  }
}

const children = ([, , content]: StanzaJson) => (Array.isArray(content) ? content : [])
const attrsOf = ({ node }: TraceLine) => node[1]

async function follow(query: string) {
  const controller = new AbortController()
  const response = await fetch(`${network.controlUrl}/trace?${query}`, { signal: controller.signal })
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async next(): Promise<TraceLine> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const event = text.slice(0, end)
          text = text.slice(end + 2)
          if (event.startsWith('data: ')) return JSON.parse(event.slice('data: '.length)) as TraceLine
          continue
        }
        const { value, done } = await reader.read()
        if (done) throw new Error('the stream ended')
        text += value
      }
    },
    stop: () => controller.abort(),
  }
}

test('what a client of another make needs is named: address, root key and its serial, media host and certificate', async () => {
  const { url, root, root_serial, media_host, ca } = network.network
  assert.match(url, /^ws:\/\/127\.0\.0\.1:\d+\/ws\/chat$/)
  assert.equal(Buffer.from(root, 'base64').length, 32)
  assert.equal(root_serial, 0)
  assert.match(media_host, /^127\.0\.0\.1:\d+$/)
  assert.match(await readFile(ca, 'utf8'), /^-----BEGIN CERTIFICATE-----/)
})

test('the trace goes out live, only what was asked for, both ways and in order', async () => {
  const trace = await follow(`account=${PHONE}&tag=message`)
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'echo watched' })
  const out = await trace.next()
  const back = await trace.next()
  trace.stop()
  assert.deepEqual([out.from, out.account, out.node[0], attrsOf(out).to], ['client', PHONE, 'message', jidOf(CONTACT)])
  assert.deepEqual([back.from, back.account, back.node[0], attrsOf(back).from], ['server', PHONE, 'message', jidOf(CONTACT)])
  assert.equal(back.conn, out.conn)
  assert.ok(back.t >= out.t && Math.abs(Date.now() - back.t) < 60_000)
  await received(client, 'watched')
})

test('a stanza nobody waited for in time is not made up, and one that is read is forgotten', async () => {
  const answer = await sandbox.post<Expected>('/expect', { match: { tag: 'nothing-like-it' }, wait_ms: 50 })
  assert.deepEqual([answer.complete, answer.items], [false, []])
  const ping = await expectation({ from: 'client', tag: 'iq', xmlns: 'w:p' })
  const both = await expectation({ tag: 'iq' }, 2)
  const { id } = await sandbox.post<Expected>('/expect', { match: { tag: 'iq' }, wait_ms: 0 })
  await client.socket.query({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } })
  assert.equal((await ping())[0]?.node[0], 'iq')
  assert.deepEqual(
    (await both()).map(({ from }) => from),
    ['client', 'server'],
  )
  assert.equal((await ask('GET', `${network.controlUrl}/expect/${id}`)).status, 200)
  assert.equal((await ask('GET', `${network.controlUrl}/expect/${id}`)).status, 404)
})

test('any stanza can be pushed, and kept until it is confirmed', async () => {
  const typing: StanzaJson = ['chatstate', { from: jidOf(CONTACT) }, [['composing', {}]]]
  assert.deepEqual(await sandbox.post('/stanzas', { phone: PHONE, node: typing }), { devices: 1 })
  await client.until(() => client.events['presence.update']?.some(({ id }) => id === jidOf(CONTACT)), 'somebody typing')
  const acked = await expectation({ from: 'client', tag: 'ack', attrs: { id: 'PUSHED1' } })
  const notice: StanzaJson = [
    'notification',
    { from: '@s.whatsapp.net', type: 'psa', id: 'PUSHED1', t: '1' },
    [['seen', {}, { b64: 'AQID' }]],
  ]
  await sandbox.post('/stanzas', { phone: PHONE, node: notice, keep: true })
  assert.equal(attrsOf((await acked())[0]!).type, 'psa')
  assert.equal((await ask('POST', `${network.controlUrl}/stanzas`, { phone: '5511900000099', node: ['ib'] })).status, 409)
  assert.equal((await ask('POST', `${network.controlUrl}/stanzas`, { node: ['ib'] })).status, 400)
  assert.equal((await ask('POST', `${network.controlUrl}/stanzas`, { phone: PHONE, node: ['a', {}, [[]]] })).status, 400)
})

test('the answer to a query is replaced as often as ordered, and falls through before and after', async () => {
  const match = { xmlns: 'status', type: 'set', child: 'status' }
  const { id } = await sandbox.post<{ id: string }>('/answers', {
    match,
    do: { error: [406, 'not-acceptable'] },
    skip: 1,
    times: 1,
  })
  await client.socket.updateProfileStatus('first')
  await assert.rejects(client.socket.updateProfileStatus('second'), /not-acceptable/)
  await client.socket.updateProfileStatus('third')
  assert.equal((await ask('DELETE', `${network.controlUrl}/answers/${id}`)).status, 404, 'a rule that is used up is gone')

  const list: StanzaJson = ['list', {}, [['item', { jid: '299@lid' }]]]
  const made = await sandbox.post<{ id: string }>('/answers', { match: { xmlns: 'blocklist' }, do: { result: [list] } })
  assert.deepEqual(await client.socket.fetchBlocklist(), ['299@lid'])
  await sandbox.post('/answers', { match: { xmlns: 'blocklist' }, do: 'pass', times: 1 })
  assert.deepEqual(await client.socket.fetchBlocklist(), [], 'a newer rule lets one query through')
  assert.deepEqual(await client.socket.fetchBlocklist(), ['299@lid'])
  await must('DELETE', `${network.controlUrl}/answers/${made.id}`)
  assert.deepEqual(await client.socket.fetchBlocklist(), [])

  await sandbox.post('/answers', { match, do: { error: [500, 'late'] }, apply: true, times: 1 })
  await assert.rejects(client.socket.updateProfileStatus('done all the same'), /late/)
  const state = await sandbox.get<{ phones: { phone: string; about: string }[] }>('/state')
  assert.equal(state.phones.find(({ phone }) => phone === PHONE)?.about, 'done all the same')
})

test('a message that is spoilt is asked for again, and then comes whole', async () => {
  for (const damage of ['ciphertext', 'padding', 'content']) {
    const retry = await expectation({ from: 'client', tag: 'receipt', type: 'retry' })
    const { id } = await sandbox.send(CONTACT, PHONE, { text: `spoilt ${damage}` }, { damage })
    assert.equal(attrsOf((await retry())[0]!).id, id)
    await received(client, `spoilt ${damage}`)
  }
})

test('a replayed message is the same ciphertext, which the client does not take twice', async () => {
  const { id } = await sandbox.send(CONTACT, PHONE, { text: 'only once' })
  await received(client, 'only once')
  const refused = await expectation({ from: 'client', tag: 'ack', attrs: { id, class: 'message' } })
  assert.deepEqual(await sandbox.post(`/contacts/${CONTACT}/replay`, { id }), { stanzas: 1 })
  assert.notEqual(attrsOf((await refused())[0]!).error, undefined)
  const again = await expectation({ from: 'server', tag: 'message', attrs: { id: 'ANOTHER1' } })
  await sandbox.post(`/contacts/${CONTACT}/replay`, { id, as: 'ANOTHER1' })
  assert.equal((await again()).length, 1)
  assert.equal((await ask('POST', `${network.controlUrl}/contacts/${CONTACT}/replay`, { id: 'NEVER' })).status, 404)
})

test('a contact changes its keys, and messages still get there both ways', async () => {
  for (const what of ['signed_pre_key', 'sessions', 'identity']) {
    await sandbox.post(`/contacts/${CONTACT}/rotate`, { what })
    const { seq } = (await sandbox.inbox(CONTACT)).at(-1)!
    await client.socket.sendMessage(jidOf(CONTACT), { text: `echo after ${what}` })
    const [item] = await sandbox.inbox(CONTACT, seq, 20_000)
    // If the contact no longer has the session, it has requested the message again.
    assert.equal(item?.text, `echo after ${what}`)
    await received(client, `after ${what}`)
  }
  const { status } = await ask('POST', `${network.controlUrl}/contacts/${PHONE}/rotate`, { what: 'identity' })
  assert.equal(status, 409, 'the identity of a phone with linked devices is in their own')
})

test('settings that are asked for whole lie on the media host, as they stand', async () => {
  const act = (value: unknown, index = 'pin_v1') =>
    sandbox.post(`/phones/${PHONE}/actions`, { collection: 'regular_low', index: [index, jidOf(CONTACT)], version: 5, value })
  await act({ pinAction: { pinned: true } })
  await act({ archiveChatAction: { archived: true } }, 'archive')
  await act({ pinAction: { pinned: false } })
  await act(null, 'archive')
  const asked = { name: 'regular_low', version: '0', return_snapshot: 'true' }
  const sync = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs: asked }] }
  const answer = await client.socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' },
    content: [sync],
  })
  const { regular_low: read } = await extractSyncdPatches(answer as BinaryNode, route.options.options!)
  assert.equal(read?.patches.length, 0)
  assert.equal(read?.snapshot?.records?.length, 1, 'each as it was set last, without what was taken away')
  const actions: unknown[] = []
  const key = async (id: string) => (await client.auth.keys.get('app-state-sync-key', [id]))[id]
  // The library verifies all MACs, and logs each one that does not match. So the log must stay empty.
  const warned: unknown[] = []
  const logger = { warn: (...said: unknown[]) => warned.push(said) } as never
  const { state, mutationMap } = await decodeSyncdSnapshot('regular_low', read!.snapshot!, key, undefined, true, logger)
  for (const { syncAction } of Object.values(mutationMap)) actions.push(syncAction.value?.pinAction?.pinned)
  assert.deepEqual([state.version, actions, warned], [4, [false], []])
})

test('the file has every stanza of both sides, and settings beside it', async () => {
  await client.close()
  await network.stop()
  const lines = (await readFile(join(dir, 'trace.jsonl'), 'utf8')).trimEnd().split('\n')
  const seen = lines.map((line) => JSON.parse(line) as TraceLine)
  assert.deepEqual([...new Set(seen.map(({ from }) => from))].sort(), ['client', 'server'])
  assert.ok(
    seen.some(({ node: [tag, , content] }) => tag === 'iq' && Array.isArray(content) && content[0]?.[0] === 'pair-device'),
  )
  assert.ok(seen.some(({ node }) => node[0] === 'success'))
  const conns = new Set(seen.map(({ conn }) => conn))
  assert.equal(conns.size, 2, 'pairing and login')
  const sealed = seen.flatMap(({ node }) => children(node)).find(([tag]) => tag === 'enc')
  assert.ok(typeof sealed?.[2] === 'object' && 'b64' in sealed[2])
  const actions = (await readFile(join(dir, 'trace.jsonl.appstate'), 'utf8')).trimEnd().split('\n')
  assert.deepEqual(JSON.parse(actions[0]!), {
    from: 'server',
    index: ['setting_pushName'],
    version: 1,
    collection: 'critical_block',
    valueFields: ['timestamp', 'pushNameSetting'],
  })
})

test('nobody watches: a stanza is not even looked at', () => {
  const trace = createTrace()
  const untouchable = new Proxy({} as never, {
    get() {
      throw new Error('it was looked at')
    },
  })
  trace.saw(untouchable, untouchable)
  const lines: TraceLine[] = []
  const stop = trace.watch({ match: {}, take: (line) => lines.push(line) })
  assert.throws(() => trace.saw(untouchable, untouchable), /looked at/)
  stop()
  trace.saw(untouchable, untouchable)
  assert.equal(lines.length, 0)
})

test('the text of a long query is shown whole, and of a large file only the beginning', () => {
  const shownOf = (size: number) =>
    toJson({ tag: 'query', attrs: {}, content: Buffer.alloc(size, 'a') })[2] as { b64: string; bytes?: number }
  // A mex query that sets the picture of a channel has 400 kB, and the trace must contain it whole.
  assert.equal(Buffer.from(shownOf(400_000).b64, 'base64').length, 400_000)
  assert.equal(shownOf(400_000).bytes, undefined)
  const cut = shownOf(3_000_000)
  assert.equal(cut.bytes, 3_000_000)
  assert.ok(Buffer.from(cut.b64, 'base64').length < 3_000_000)
})
