/**
 * Tests the package `svc-client`: it is packed, installed into an empty project, compiled there in strict mode with a
 * program that uses it, and driven against the service.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { clientSources } from '../../packages/generate-client.ts'
import { endpoints } from '../../src/features/index.ts'
import { deferred } from '../../src/lib/deferred.ts'
import { ROOT } from '../harness/checkout.ts'
import type { Instance } from '../harness/gateway.ts'
import { startWorld, type World } from '../harness/world.ts'

const PACKAGE = fileURLToPath(new URL('packages/client/', ROOT))
const TOOLS = fileURLToPath(new URL('test/clients/', ROOT))
const tool = (path: string) => join(TOOLS, 'node_modules', path)
const skip = existsSync(tool('openapi-typescript')) ? false : 'the tools are not installed: npm ci --prefix test/clients'
const execute = promisify(execFile)
/** Runs a program. Rejects with its output if it fails. */
const run = (cwd: string, file: string, ...args: string[]) =>
  execute(file, args, { cwd, maxBuffer: 16 * 2 ** 20 }).catch(({ stdout, stderr }) => {
    throw new Error(`${file} ${args[0]}: ${`${stdout}${stderr}`.slice(0, 4_000)}`)
  })

const ME = '5511999990077'
const ANA = '5511988880077'
const NOBODY = '5511988880000'

describe('the package svc-client', { skip }, () => {
  let project: string
  let world: World
  // biome-ignore lint/suspicious/noExplicitAny: the installed package has its types in the empty project only
  let installed: (name: string) => Promise<any>
  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'svc-client-'))
    await cp(PACKAGE, join(project, 'package'), { recursive: true, filter: (path) => !/(\/dist|\/node_modules)$/.test(path) })
    await run(
      join(project, 'package'),
      process.execPath,
      fileURLToPath(new URL('node_modules/typescript/bin/tsc', ROOT)),
      '-p',
      '.',
    )
    await run(join(project, 'package'), 'npm', 'pack', '--pack-destination', project)
    const archive = (await readdir(project)).find((name) => name.endsWith('.tgz'))
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
    await run(project, 'npm', 'install', '--offline', '--no-audit', '--no-fund', `./${archive}`)
    installed = (name) => import(pathToFileURL(join(project, 'node_modules/svc-client/dist', name)).href)
    world = await startWorld()
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    await world.sandbox.createPhone(ME, { name: 'Me' })
  })
  after(async () => {
    await world?.stop()
    await rm(project, { recursive: true, force: true })
  })

  test('its generated files are those of this description', async () => {
    const sources = clientSources(endpoints, TOOLS)
    for (const [name, source] of Object.entries(sources)) {
      const written = await readFile(join(PACKAGE, `src/generated/${name}.ts`), 'utf8')
      assert.ok(written === source, `${name}.ts is out of date: npm run client`)
    }
  })

  test('it installs without dependencies, with its licence and its types', async () => {
    assert.deepEqual(
      (await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['svc-client'],
    )
    const files = await readdir(join(project, 'node_modules/svc-client'))
    assert.deepEqual(files.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'])
  })

  test('a program of a user compiles in strict mode, and tells a story from a key to an answer', async () => {
    await mkdir(join(project, 'src'))
    await cp(join(PACKAGE, 'test/story.ts'), join(project, 'src/story.ts'))
    const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8')
    const samples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '')
    assert.ok(samples.length >= 4)
    for (const [index, code] of samples.entries()) await writeFile(join(project, `src/sample-${index}.ts`), code)
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      module: 'NodeNext',
      target: 'ES2022',
      lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'],
      types: [],
      rootDir: 'src',
      outDir: 'out',
    }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    await run(project, process.execPath, tool('typescript/bin/tsc'), '-p', '.')

    const { tell } = await import(pathToFileURL(join(project, 'out/story.js')).href)
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

  test('its receivers take genuine webhooks only, each event once', async () => {
    const instance = await world.gateway.createInstance(null)
    const { secret } = instance.webhooks
    const { createWebhookHandler } = await installed('index.js')
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
    const hono = new Hono().post('/', (await installed('adapters/hono.js')).svcWebhook(optionsFor('hono')))
    const next = (await installed('adapters/next.js')).svcWebhook(optionsFor('next'))
    const svcExpress = (await installed('adapters/express.js')).svcWebhook
    const late = express()
      .use(express.json())
      .post('/', svcExpress(optionsFor('late')))
    // Express writes an error to the standard error outside of tests of its own.
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
    const { body, headers } = await recordedWebhook(world, instance)
    for (const [name, listener] of Object.entries(listeners)) {
      const { url, close } = await listen(listener)
      const send = (text = body) => fetch(url, { method: 'POST', headers, body: text })
      if (name === 'late') {
        assert.match(await (await send()).text(), /before express\.json/)
      } else {
        assert.equal((await send()).status, 200, name)
        assert.equal((await send()).status, 200, name)
        assert.equal((await send(`${body} `)).status, 401, name)
        assert.equal(seen[name]?.length, 1, name)
      }
      close()
    }
  })
})

/** Lets the service send a webhook, and returns the request as it was. */
async function recordedWebhook(
  { gateway }: World,
  instance: Instance,
): Promise<{ body: string; headers: Record<string, string> }> {
  const { promise, resolve } = deferred<{ body: string; headers: Record<string, string> }>()
  const { url, close } = await listen(async (request, response) => {
    const body = await text(request)
    const signed = Object.entries(request.headers).filter(([name]) => /^(x-svc-|content-type)/.test(name))
    response.end()
    resolve({ body, headers: Object.fromEntries(signed) as Record<string, string> })
  })
  await gateway.must(instance, 'PUT', '/webhooks', { single_url: url })
  await gateway.must(instance, 'POST', '/webhooks/received/test')
  close()
  return promise
}

function listen(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener)
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }))
  })
}
