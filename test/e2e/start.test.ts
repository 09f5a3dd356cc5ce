import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { Printed } from '../../src/printed.ts'
import { amount, repetition } from '../harness/amount.ts'
import { START } from '../harness/checkout.ts'

/**
 * An address on which nothing listens, so that a service without the sandbox cannot reach the real network by mistake.
 */
const NOWHERE = 'ws://127.0.0.1:9'

interface Launched {
  child: ChildProcess
  errors(): string
  lines: AsyncIterator<string>
  ended: Promise<number | null>
}

function launch(flags: string[], env: Record<string, string>): Launched {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const child = spawn(process.execPath, [...START, ...flags], {
    // One shard is enough here, because other tests use several. Each further shard takes a second of CPU time at each
    // of two dozen starts.
    env: {
      ...inherited,
      SVC_PORT: '0',
      SVC_SANDBOX_PORT: '0',
      SVC_SHARDS: '1',
      SVC_LOG_LEVEL: 'warn',
      SVC_FFMPEG: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return {
    child,
    errors: () => errors,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}

async function firstLine({ lines, errors }: Launched): Promise<string> {
  const { value, done } = await lines.next()
  if (done) throw new Error(`it ended before it printed anything: ${errors()}`)
  return value
}

async function launchJson(flags: string[], env: Record<string, string>) {
  const launched = launch([...flags, '--json'], env)
  return { ...launched, printed: JSON.parse(await firstLine(launched)) as Printed }
}

async function stop({ child, ended }: Launched, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return ended
}

interface Ask {
  method?: string
  key?: string | null
  body?: unknown
}
async function ask<T>(url: string, { method, key, body }: Ask = {}): Promise<T> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  assert.ok(response.ok, `${url}: ${JSON.stringify(answer)}`)
  return answer as T
}

async function untilConnected(apiUrl: string): Promise<void> {
  for (;;) {
    const { connected } = await ask<{ connected: boolean }>(`${apiUrl}/status`)
    if (connected) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function send(apiUrl: string, sandboxUrl: string, message: string): Promise<string> {
  const phone = '5511988887777'
  const { message_id } = await ask<{ message_id: string }>(`${apiUrl}/send-text`, { body: { phone, message } })
  for (let after = 0; ; ) {
    const { items } = await ask<{ items: { seq: number; id: string; text: string }[] }>(
      `${sandboxUrl}/contacts/${phone}/inbox?after=${after}&wait_ms=5000`,
    )
    const found = items.find(({ id }) => id === message_id)
    if (found) return found.text
    after = items.at(-1)?.seq ?? after
  }
}

describe('the start command', { timeout: 300_000, concurrency: 2 }, () => {
  let dataDir: string
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'))
  })
  after(() => rm(dataDir, { recursive: true, force: true }))

  test('the sandbox pairs, sends, stops on a signal, and a second start finds the paired phone again', async () => {
    const env = { SVC_DATA_DIR: join(dataDir, 'sandbox-twice'), SVC_SHARDS: '2' }
    const first = await launchJson(['--sandbox'], env)
    const { base_url: base, sandbox_url: sandbox, admin_key: admin, network } = first.printed
    assert.ok(base && sandbox && admin && network.url && network.root && network.ca && network.media_host)
    const { value: key } = await ask<{ value: string }>(`${base}/admin/api-keys`, {
      key: admin,
      body: { name: 'test', scopes: ['instances:write', 'instances:read'] },
    })
    const instance = await ask<{ id: string; api_url: string }>(`${base}/account/instances`, { key, body: { name: 'first' } })
    await ask(`${sandbox}/phones`, { body: { phone: '5511999990001' } })
    const { value: image } = await ask<{ value: string }>(`${instance.api_url}/qr-code`)
    await ask(`${sandbox}/phones/5511999990001/scan`, { body: { image } })
    await untilConnected(instance.api_url)
    assert.equal(await send(instance.api_url, sandbox, 'before'), 'before')
    assert.equal(await stop(first, 'SIGTERM'), 0, first.errors())

    const second = await launchJson(['--sandbox'], env)
    assert.equal(second.printed.admin_key, admin)
    const again = await ask<{ api_url: string }>(`${second.printed.base_url}/account/instances/${instance.id}`, { key })
    await untilConnected(again.api_url)
    assert.equal(await send(again.api_url, second.printed.sandbox_url!, 'after'), 'after')
    assert.equal(await stop(second, 'SIGINT'), 0, second.errors())
  })

  const modes = async (dir: string, names: string[]) =>
    Promise.all(names.map(async (name) => ((await stat(join(dir, name))).mode & 0o777).toString(8)))
  async function isPrivate(dir: string) {
    assert.deepEqual(await modes(dir, ['blobs', 'tmp', 'secret-key']), ['700', '700', '600'])
    assert.deepEqual(await modes(join(dir, 'state'), ['data.mdb', 'lock.mdb']), ['600', '600'])
  }

  /** Checks that a store that another key has sealed ends the start with a sentence and code 1. */
  async function isRefused(env: Record<string, string>) {
    const launched = launch([], env)
    assert.equal(await launched.ended, 1)
    assert.match(launched.errors(), /^svc: The secret key is not the one this store was written with;.*\n$/)
  }

  test('outside the sandbox the admin key is printed once, nothing of the sandbox is made, nobody else can read what is kept, and another key is refused', async () => {
    const env = { SVC_DATA_DIR: join(dataDir, 'plain'), SVC_NETWORK_URL: NOWHERE }
    const first = await launchJson([], env)
    assert.match(first.printed.admin_key ?? '', /^svc_admin_[0-9a-f]{48}$/)
    assert.equal(first.printed.sandbox_url, null)
    assert.deepEqual(first.printed.network, { url: NOWHERE, root: null, root_serial: null, ca: null, media_host: null })
    assert.equal((await fetch(`${first.printed.base_url}/health/ready`)).status, 200)
    assert.equal(await stop(first, 'SIGTERM'), 0, first.errors())
    assert.deepEqual(
      (await readdir(join(dataDir, 'plain'))).filter((name) => /sandbox|network/.test(name)),
      [],
    )
    await isPrivate(join(dataDir, 'plain'))
    assert.deepEqual(await modes(join(dataDir, 'plain'), ['.', 'state']), ['700', '700'])

    const second = await launchJson([], env)
    assert.equal(second.printed.admin_key, null)
    assert.equal(await stop(second, 'SIGTERM'), 0, second.errors())
    await isRefused({ ...env, SVC_SECRET_KEY: 'b'.repeat(64) })
  })

  test('for a person it prints where things are and an example to paste', async () => {
    const launched = launch(['--sandbox'], { SVC_DATA_DIR: join(dataDir, 'person') })
    const lines = [await firstLine(launched)]
    while (!lines.at(-1)?.includes('/inbox?after=0')) lines.push((await launched.lines.next()).value)
    const text = lines.join('\n')
    assert.match(text, /API +http:\/\/127\.0\.0\.1:\d+/)
    assert.match(text, /Sandbox +http:\/\/127\.0\.0\.1:\d+/)
    assert.match(text, /Admin key +svc_admin_[0-9a-f]{48}/)
    const { origin } = new URL(String(/Dashboard +(\S+)/.exec(text)?.[1]))
    for (const page of ['/dashboard', '/docs']) assert.equal((await fetch(origin + page)).status, 200, page)
    assert.equal(lines.filter((line) => line.includes('curl ')).length, 5)
    assert.equal(await stop(launched, 'SIGTERM'), 0, launched.errors())
  })

  test('the network alone prints the four variables', async () => {
    const launched = await launchJson(['--network-only'], { SVC_DATA_DIR: join(dataDir, 'network-only') })
    const { base_url, sandbox_url, admin_key, network } = launched.printed
    assert.deepEqual([base_url, admin_key], [null, null])
    assert.ok(network.url && network.root && network.ca && network.media_host)
    assert.equal(network.root_serial, 0, 'what clients of other makes check besides')
    await ask(`${sandbox_url}/state`)
    assert.equal(await stop(launched, 'SIGTERM'), 0, launched.errors())
    assert.deepEqual(await modes(join(dataDir, 'network-only'), ['.', 'sandbox']), ['700', '700'])
  })

  test('a network that keeps nothing knows none of its phones after the next start', { skip: repetition }, async () => {
    const phonesAfterRestart = async (keep: string) => {
      const env = { SVC_DATA_DIR: join(dataDir, `network-keep-${keep}`), SVC_SANDBOX_KEEP: keep }
      const first = await launchJson(['--network-only'], env)
      await ask(`${first.printed.sandbox_url}/phones`, { body: { phone: '5511900011111' } })
      assert.equal(await stop(first, 'SIGTERM'), 0, first.errors())
      const second = await launchJson(['--network-only'], env)
      const { phones } = await ask<{ phones: unknown[] }>(`${second.printed.sandbox_url}/state`)
      assert.equal(await stop(second, 'SIGTERM'), 0, second.errors())
      return phones.length
    }
    assert.deepEqual([await phonesAfterRestart('on'), await phonesAfterRestart('off')], [1, 0])
  })

  test('a variable that cannot be used ends the start with one sentence and code 1', async () => {
    const launched = launch([], { SVC_DATA_DIR: join(dataDir, 'bad'), SVC_PORT: 'http' })
    assert.equal(await launched.ended, 1)
    assert.equal(launched.errors(), 'svc: SVC_PORT is "http"; it must be a whole number from 0 to 65535.\n')
  })

  const folders = [
    [
      'a folder that cannot be made',
      [],
      { SVC_DATA_DIR: '/proc/svc' },
      /^svc: SVC_DATA_DIR is "\/proc\/svc"; .*\n {2}because: ENOENT/,
    ],
    [
      'a data folder that is a file',
      [],
      { SVC_DATA_DIR: '/dev/null' },
      /^svc: SVC_DATA_DIR is "\/dev\/null"; .*\n {2}because: EEXIST/,
    ],
  ] as const
  for (const [what, flags, env, sentence] of [
    ...amount(folders, []),
    [
      'a folder that nothing can be made in',
      [],
      { SVC_DATA_DIR: '/proc/1' },
      /^svc: SVC_DATA_DIR is "\/proc\/1"; it must be a folder that the user of this process \(uid \d+\) can write to\.\n {2}because: /,
    ],
    [
      'a store where nothing can be made',
      [],
      { SVC_STORE_URL: 'lmdb:/proc/1' },
      /^svc: SVC_STORE_URL is "\/proc\/1"; it must be a folder that the user of this process \(uid \d+\) can write to\.\n {2}because: /,
    ],
    [
      'whatever cannot be used of several variables',
      [],
      { SVC_SECRET_KEY: 'abc', SVC_STORE_URL: 'redis://127.0.0.1', SVC_DOCS: 'maybe' },
      /^svc: (SVC_STORE_URL is .*|SVC_SECRET_KEY has .*|SVC_DOCS is .*)\n(SVC_.*\n){2}$/,
    ],
    ['an ffmpeg that is not there', [], { SVC_FFMPEG: '/nowhere/ffmpeg' }, /^svc: SVC_FFMPEG is "\/nowhere\/ffmpeg"; .*\n$/],
    ['an unknown flag', ['--bogus'], {}, /^svc: Unknown option '--bogus'.*\n$/],
  ] as const) {
    test(`${what} ends the start with a sentence that names it and code 1`, async () => {
      const launched = launch([...flags], {
        SVC_DATA_DIR: join(dataDir, 'unstarted'),
        SVC_NETWORK_URL: NOWHERE,
        ...(env as Record<string, string>),
      })
      assert.equal(await launched.ended, 1)
      assert.match(launched.errors(), sentence)
    })
  }

  test('a port that is taken ends the start with one sentence, the reason of the system and code 1', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as { port: number }
    try {
      const launched = launch([], { SVC_DATA_DIR: join(dataDir, 'taken'), SVC_PORT: String(port), SVC_NETWORK_URL: NOWHERE })
      assert.equal(await launched.ended, 1)
      assert.equal(
        launched.errors(),
        `svc: The service cannot listen on 127.0.0.1 port ${port}: another program listens there (SVC_HOST, SVC_PORT).\n` +
          `  because: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
      )
      assert.deepEqual(await readdir(join(dataDir, 'taken')), [], 'nothing was opened or made for it')
      const next = await launchJson([], { SVC_DATA_DIR: join(dataDir, 'taken'), SVC_NETWORK_URL: NOWHERE })
      assert.match(next.printed.admin_key ?? '', /^svc_admin_[0-9a-f]{48}$/, 'nobody has seen it before')
      assert.equal(await stop(next, 'SIGTERM'), 0, next.errors())

      const sandbox = launch(['--sandbox'], { SVC_DATA_DIR: join(dataDir, 'taken-too'), SVC_SANDBOX_PORT: String(port) })
      assert.equal(await sandbox.ended, 1)
      assert.equal(
        sandbox.errors().split('\n')[0],
        `svc: The sandbox cannot listen on port ${port}: another program listens there (SVC_SANDBOX_PORT).`,
      )
    } finally {
      squatter.close()
    }
  })

  test('without ffmpeg it says so, once; who has said off knows; a request is one line, for debug only', async () => {
    const hidden = { SVC_DATA_DIR: join(dataDir, 'lines'), SVC_NETWORK_URL: NOWHERE, SVC_FFMPEG: '', PATH: '/nowhere' }
    const linesOf = async (env: Record<string, string>) => {
      const launched = await launchJson([], { ...hidden, ...env })
      await fetch(`${launched.printed.base_url}/health/live`)
      assert.equal(await stop(launched, 'SIGTERM'), 0, launched.errors())
      const lines = launched.errors().trim().split('\n')
      return {
        without: lines.filter((line) => line.includes('No ffmpeg was found')),
        requests: lines.filter((line) => line.includes('/health/live')),
      }
    }
    const plain = await linesOf({ SVC_LOG_LEVEL: 'info' })
    assert.deepEqual([plain.without.length, plain.requests.length], [1, 0])
    assert.equal(JSON.parse(plain.without[0]!).level, 40)
    const off = await linesOf({ SVC_LOG_LEVEL: 'debug', SVC_LOG_FORMAT: 'pretty', SVC_FFMPEG: 'off' })
    assert.deepEqual([off.without.length, off.requests.length], [0, 1])
    assert.match(off.requests[0]!, /^\[[\d:.]{12}\] DEBUG: main: request \{.*"status":200.*\}$/)
  })

  test('a second start on the same store ends with one sentence, a killed one is followed at once, and another key is refused', async () => {
    const env = { SVC_DATA_DIR: join(dataDir, 'one'), SVC_NETWORK_URL: NOWHERE, SVC_SECRET_KEY: 'a'.repeat(64) }
    const first = await launchJson([], env)
    const second = launch([], env)
    assert.equal(await second.ended, 1)
    assert.equal(
      second.errors(),
      `svc: Another svc runs on the store in ${join(dataDir, 'one', 'state')}; stop that one, or give this one a folder of its own (SVC_DATA_DIR).\n`,
    )
    assert.equal((await fetch(`${first.printed.base_url}/health/ready`)).status, 200, 'the first one is not disturbed')
    assert.equal(await stop(first, 'SIGKILL'), null)
    const third = await launchJson([], env)
    assert.equal(await stop(third, 'SIGTERM'), 0, third.errors())
    await isRefused({ ...env, SVC_SECRET_KEY: 'b'.repeat(64) })
  })

  test('nobody else on the machine can read what it keeps in a folder that was open to all', async () => {
    const open = join(dataDir, 'open')
    await mkdir(join(open, 'state'), { recursive: true, mode: 0o755 })
    const launched = await launchJson([], { SVC_DATA_DIR: open, SVC_NETWORK_URL: NOWHERE })
    assert.equal(await stop(launched, 'SIGTERM'), 0, launched.errors())
    await isPrivate(open)
  })
})
