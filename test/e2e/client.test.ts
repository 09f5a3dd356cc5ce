import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { clientSources } from '../../packages/generate-client.ts'
import { endpoints } from '../../src/features/index.ts'
import { amount } from '../harness/amount.ts'
import { ROOT } from '../harness/checkout.ts'
import { CLIENT, type ClientProject, installClient } from '../harness/client-package.ts'
import type { Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { runIn } from '../harness/packed.ts'
import { listenTo, recordedWebhook } from '../harness/recorded-webhook.ts'
import { samplesOf, sampleWith } from '../harness/samples.ts'
import { until } from '../harness/until.ts'
import { startWorld, type World } from '../harness/world.ts'

const TOOLS = fileURLToPath(new URL('test/clients/', ROOT))
const tool = (path: string) => join(TOOLS, 'node_modules', path)
const skip = existsSync(tool('openapi-typescript')) ? false : 'the tools are not installed: npm ci --prefix test/clients'
const ME = '5511999990077'
const ANA = '5511988880077'
const NOBODY = '5511988880000'

/**
 * Path of the compiler that most users have. It takes five times as long as the compiler of this repository, so only
 * the full run uses it.
 */
const COMPILER = amount(1, 0) === 1 ? tool('typescript/bin/tsc') : undefined
const SALES = '5511999990078'
const READER = '5511999990079'
/** An event id that is lower than all others, so the stream begins with the report of a gap. */
const BEFORE_ALL = '0'.repeat(26)

/**
 * The rules for retries that the client must follow (`Rule` in `packages/client/test/rules.ts`): the answers of the
 * server, the expected pauses in ms, and the expected end.
 */
const RULES: readonly { what: string; answers: readonly unknown[]; call: string; pauses: number[]; ended: string }[] = [
  { what: '429 waits as asked', answers: [[429, 'rate_limited', 3], [200]], call: 'read', pauses: [3_000], ended: 'answered' },
  { what: '429 of a send', answers: [[429, 'rate_limited', 3], [200]], call: 'send', pauses: [3_000], ended: 'answered' },
  { what: '429 of a change', answers: [[429, 'rate_limited', 2], [200]], call: 'create', pauses: [2_000], ended: 'answered' },
  { what: '429 for too long', answers: [[429, 'rate_limited', 61]], call: 'read', pauses: [], ended: 'rate_limited' },
  { what: '503 of a read', answers: [[503, 'engine_unavailable', 5], [200]], call: 'read', pauses: [5_000], ended: 'answered' },
  { what: '503 of a send', answers: [[503, 'engine_unavailable', 5], [200]], call: 'send', pauses: [5_000], ended: 'answered' },
  { what: '503 of a change', answers: [[503, 'engine_unavailable', 5]], call: 'create', pauses: [], ended: 'engine_unavailable' },
  { what: 'five attempts', answers: [[500, 'internal']], call: 'read', pauses: [1_000, 2_000, 4_000, 8_000], ended: 'internal' },
  { what: 'no answer to a read', answers: ['cut', 'cut', [200]], call: 'read', pauses: [1_000, 2_000], ended: 'answered' },
  { what: 'no answer to a send', answers: ['cut', [200]], call: 'send', pauses: [1_000], ended: 'answered' },
  { what: 'no answer to a change', answers: ['cut'], call: 'create', pauses: [], ended: 'SvcConnectionError' },
  {
    what: 'a session that loads',
    answers: [[409, 'instance_starting'], [200]],
    call: 'create',
    pauses: [1_000],
    ended: 'answered',
  },
  ...(
    [
      [400, 'invalid_request'],
      [401, 'instance_not_found'],
      [402, 'subscription_required'],
      [403, 'insufficient_scope'],
      [404, 'not_found'],
      [409, 'queue_full'],
      [409, 'instance_not_connected'],
      [422, 'media_download_failed'],
    ] as const
  ).map(([status, code]) => ({ what: code, answers: [[status, code]], call: 'send', pauses: [], ended: code })),
]

/** Stream of 8 MB. A request with it does not announce its length. */
function ofEightMegabytes(): ReadableStream<Uint8Array> {
  let left = 128
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(65_536))
      else controller.close()
    },
  })
}

async function programsFor({ gateway }: World): Promise<Record<string, string>> {
  const samples = samplesOf('packages/client/README.md').filter(({ language }) => language === 'ts')
  assert.ok(samples.length >= 4)
  const programs = Object.fromEntries(samples.map(({ code }, index) => [`sample-${index}`, code]))
  const sample = sampleWith('packages/client/README.md', 'waitMs: 30_000')
  const first = sample.replace('http://127.0.0.1:8080', gateway.baseUrl).replace('<API key>', gateway.key)
  const [story, rules] = await Promise.all(['story', 'rules'].map((name) => readFile(join(CLIENT, `test/${name}.ts`), 'utf8')))
  return { ...programs, first, story: story!, rules: rules! }
}

interface Listed {
  id: string
  token: string
  name: string
}

describe('the package svc-client', { skip }, () => {
  let project: ClientProject
  let world: World
  let out: string
  before(async () => {
    project = await installClient()
    world = await startWorld()
    out = await project.compile(await programsFor(world), COMPILER)
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    await world.sandbox.createPhone(ME, { name: 'Me' })
  })
  after(async () => {
    await world?.stop()
    if (project) await rm(project.folder, { recursive: true, force: true })
  })

  test('its generated files are those of this description', async () => {
    const sources = clientSources(endpoints, TOOLS)
    for (const [name, source] of Object.entries(sources)) {
      const written = await readFile(join(CLIENT, `src/generated/${name}.ts`), 'utf8')
      assert.ok(written === source, `${name}.ts is out of date: npm run client`)
    }
  })

  test('it has no dependencies, and its files, licence and types', async () => {
    const files = await readdir(project.installed)
    assert.deepEqual(files.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'])
    const { dependencies, peerDependencies, sideEffects, exports } = JSON.parse(
      await readFile(join(project.installed, 'package.json'), 'utf8'),
    )
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
    assert.equal(sideEffects, false)
    for (const files of Object.values<Record<string, string>>(exports))
      for (const file of Object.values(files)) assert.ok(existsSync(join(project.installed, file)), file)
  })

  test('a program of a user compiles in strict mode, and tells a story from a key to an answer', async () => {
    const { tell } = await import(pathToFileURL(join(out, 'story.js')).href)
    const told = await tell({
      baseUrl: world.gateway.baseUrl,
      adminKey: world.gateway.admin.authorization.slice('Bearer '.length),
      webhookUrl: world.receiver.url,
      trust: world.receiver.trust,
      scan: (image: string) => world.sandbox.scan(ME, image),
      friendWrites: (text: string) => world.sandbox.send(ANA, ME, { text }),
      friend: ANA,
      stranger: NOBODY,
    })
    assert.equal(told.sent.status, 'sent')
    assert.deepEqual([told.failed.status, told.failed.error_code], ['failed', 'phone_not_on_whatsapp'])
    assert.deepEqual([told.answer.phone, told.answer.text.message], [ANA, 'Hello back'])
    assert.match(told.group.phone, /-group$/)
    assert.ok(told.chats > 0)
    assert.equal(told.picture, 'not_found')
    assert.deepEqual(told.lost, { repeated: 'sent', afterSend: 2, group: 'connection', afterGroup: 1, wrong: 'invalid_phone' })
    const texts = (await world.sandbox.inbox(ANA)).map(({ text }) => text)
    assert.equal(texts.filter((text) => text === 'Only once').length, 1)
  })

  test('the first program of its README sends a message', async () => {
    const { gateway, sandbox } = world
    const printed = runIn(project.folder, process.execPath, join(out, 'first.js'))
    const created = await until(
      async () =>
        (await must<{ data: Listed[] }>('GET', `${gateway.baseUrl}/account/instances`, undefined, gateway.account)).data,
      (instances) => instances.some(({ name }) => name === 'Sales'),
    )
    await sandbox.createPhone(SALES, { name: 'Sales' })
    const { id, token } = created.find(({ name }) => name === 'Sales')!
    await gateway.pair({ id, token, api_url: `${gateway.baseUrl}/instances/${id}/token/${token}` } as Instance, sandbox, SALES)
    assert.equal(await printed, 'sent\n')
  })

  test('its event stream continues behind the last event that was handled, and reports a gap', async () => {
    const { gateway, sandbox } = world
    const instance = await gateway.connected(sandbox, READER, null)
    const { createClient } = await project.load('index.js')
    const asked: (string | null)[] = []
    const cuts: AbortController[] = []
    const client = createClient({
      baseUrl: gateway.baseUrl,
      fetch(url: string, init: RequestInit) {
        const cut = new AbortController()
        cuts.push(cut)
        asked.push(new Headers(init.headers).get('Last-Event-ID'))
        return fetch(url, { ...init, signal: AbortSignal.any([init.signal!, cut.signal]) })
      },
    }).instance(instance)
    const gaps: { from: string; to: string }[] = []
    const write = (text: string) => sandbox.send(ANA, READER, { text })
    const texts: string[] = []
    const ids: string[] = []
    let isOpen = 0
    const options = {
      types: ['received'],
      after: BEFORE_ALL,
      signal: AbortSignal.timeout(30_000),
      onGap: (gap: { from: string; to: string }) => gaps.push(gap),
      onOpen: () => {
        isOpen += 1
        if (isOpen === 1) void write('before the cut')
      },
    }
    for await (const event of client.events(options)) {
      texts.push(event.text.message)
      ids.push(event.event_id)
      if (texts.length === 2) break
      cuts[0]?.abort()
      await write('during the cut')
    }
    assert.deepEqual(texts, ['before the cut', 'during the cut'])
    assert.deepEqual([asked, gaps.map(({ from }) => from)], [[BEFORE_ALL, ids[0]], [BEFORE_ALL]])
  })

  test('it repeats a request as the handling rules say', async () => {
    const program = `const { follow } = await import('./rules.js')
      const followed = []
      for (const rule of JSON.parse(process.argv[1])) followed.push(await follow(rule))
      console.log(JSON.stringify(followed))`
    const rules = JSON.stringify(RULES)
    const followed = JSON.parse(await runIn(out, process.execPath, '--input-type=module', '--eval', program, rules))
    for (const [index, { what, pauses, ended }] of RULES.entries())
      assert.deepEqual(followed[index], { pauses, ended, keys: 1 }, what)
  })

  test('its receivers take genuine webhooks only, each event once', async () => {
    const instance = await world.gateway.createInstance(null)
    const { secret } = instance.webhooks
    const { createWebhookHandler } = await project.load('index.js')
    const { default: express } = await import(pathToFileURL(createRequire(tool('x.js')).resolve('express')).href)
    const seen: Record<string, string[]> = {}
    const optionsFor = (name: string) => {
      const ids: string[] = []
      seen[name] = ids
      return {
        secret: (id: string) => (id === instance.id ? secret : undefined),
        onEvent: ({ event_id }: { event_id: string }) => ids.push(event_id),
        isKnown: (id: string) => ids.includes(id),
        withTests: true,
      }
    }
    const hono = new Hono().post('/', (await project.load('adapters/hono.js')).svcWebhook(optionsFor('hono')))
    const next = (await project.load('adapters/next.js')).svcWebhook(optionsFor('next'))
    const svcExpress = (await project.load('adapters/express.js')).svcWebhook
    const late = express()
      .use(express.json())
      .post('/', svcExpress(optionsFor('late')))
    // This handler answers with the message of an error. Without it, Express would log the error to standard error.
    late.use(
      (error: Error, _request: unknown, response: { status(code: number): { send(text: string): void } }, _next: unknown) =>
        response.status(500).send(error.message),
    )
    const listeners: Record<string, RequestListener> = {
      web: getRequestListener(createWebhookHandler(optionsFor('web'))),
      hono: getRequestListener(hono.fetch),
      next: getRequestListener(next),
      express: express().post('/', svcExpress(optionsFor('express'))),
      raw: express()
        .use(express.raw({ type: '*/*' }))
        .post('/', svcExpress(optionsFor('raw'))),
      late,
    }
    const { body, headers } = await recordedWebhook(world.gateway, instance)
    for (const [name, listener] of Object.entries(listeners)) {
      const { url, close } = await listenTo(listener)
      const send = (sent: string | ReadableStream = body) =>
        fetch(url, { method: 'POST', headers, body: sent, duplex: 'half' } as RequestInit)
      if (name === 'late') {
        assert.match(await (await send()).text(), /before express\.json/)
      } else {
        assert.equal((await send()).status, 200, name)
        assert.equal((await send()).status, 200, name)
        assert.equal((await send(`${body} `)).status, 401, name)
        assert.equal((await send(ofEightMegabytes())).status, 413, name)
        assert.equal(seen[name]?.length, 1, name)
      }
      close()
    }
  })
})
