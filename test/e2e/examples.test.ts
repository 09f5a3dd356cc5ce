import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../harness/checkout.ts'
import type { Instance } from '../harness/gateway.ts'
import { freePort } from '../harness/proxies.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BIA = '5511988880002'
const hasPython = spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0

let world: World
let instance: Instance
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-examples-'))
  world = await startWorld()
  instance = await world.gateway.connected(world.sandbox, ME, null)
  for (const [phone, name] of [
    [ANA, 'Ana'],
    [BIA, 'Bia'],
  ] as const)
    await world.sandbox.createContact(phone, { name })
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true })
})

interface Running {
  child: ChildProcess
  /** Resolves with the first match in the output. It may be printed before or after this call. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
}

function start(t: TestContext, program: string, args: string[], env: Record<string, string>): Running {
  const options = { cwd: fileURLToPath(ROOT), env: { PATH: process.env.PATH ?? '', ...env }, stdio: 'pipe' } as const
  // The program gets a process group of its own, so that the process which `go run` starts can be ended, too.
  const child = spawn(program, args, { ...options, detached: true })
  let text = ''
  const looks = new Set<() => void>()
  const look = () => {
    for (const each of looks) each()
  }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      look()
    })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('close', look)
  t.after(async () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended
  })
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const each = () => {
        const found = pattern.exec(text)
        if (found) resolve(found)
        else if (child.exitCode !== null) reject(new Error(`The example ended before it printed ${pattern}:\n${text}`))
        else return
        looks.delete(each)
      }
      looks.add(each)
      each()
    })
  return { child, printed }
}

const secretOf = () => instance.webhooks.secret

async function subscribe(t: TestContext, { printed }: Running) {
  const [, url] = await printed(/(http:\/\/127\.0\.0\.1:\d+)/)
  const set = (to: string | null) =>
    world.gateway.must(instance, 'PUT', '/webhooks', { received_url: to, message_status_url: to })
  t.after(() => set(null))
  await set(url!)
}

/**
 * Waits until the contact has received the text `wanted`. Resolves with all texts that the contact has received, newest
 * last.
 */
async function textsTo(phone: string, wanted: string): Promise<string[]> {
  for (let after = 0; ; ) {
    const items = await world.sandbox.inbox(phone, after, 10_000)
    const texts = (await world.sandbox.inbox(phone)).map(({ text }) => String(text))
    if (texts.includes(wanted)) return texts
    assert.ok(items.length > 0, `${phone} did not receive "${wanted}" within 10 s: ${texts.join(', ')}`)
    after = items.at(-1)!.seq
  }
}

/**
 * Example programs that receive webhooks, each with the start command from its first lines. The command gets the port.
 */
const receivers: [string, string, string, (port: string) => string[]][] = [
  ['Node', process.execPath, '--version', () => ['examples/receivers/node.mjs']],
  ['Python', 'python3', '--version', () => ['examples/receivers/receiver.py']],
  ['PHP', 'php', '--version', (port) => ['-S', `127.0.0.1:${port}`, 'examples/receivers/receiver.php']],
  ['Go', 'go', 'version', () => ['run', 'examples/receivers/receiver.go']],
]
for (const [name, program, version, args] of receivers)
  test(`the receiver in ${name} prints an event that was signed for it`, {
    skip: spawnSync(program, [version], { stdio: 'ignore' }).status !== 0 && `${program} is not installed`,
  }, async (t) => {
    const port = String(await freePort())
    const running = start(t, program, args(port), { WEBHOOK_SECRET: secretOf(), PORT: port, HOME: folder })
    await subscribe(t, running)
    await world.sandbox.send(ANA, ME, { text: `for ${name}` })
    await running.printed(/(?:^|\s)received [0-9A-Z]{26}$/m)
  })

test('the bot answers a text with the same text, as a reply', async (t) => {
  const bot = start(t, process.execPath, ['examples/echo-bot.mjs'], { SVC_URL: instance.api_url })
  await bot.printed(/ready/)
  await world.sandbox.send(ANA, ME, { text: 'good morning' })
  assert.ok((await textsTo(ANA, 'good morning')).includes('good morning'))
  await bot.printed(/answered /)
})

test('the broadcast reaches each number of the file once, also when it is started twice', async (t) => {
  const file = join(folder, 'numbers.csv')
  await writeFile(file, `+55 11 98888-0001;Ana\n${BIA}\n`)
  for (let run = 0; run < 2; run++) {
    const broadcast = start(t, process.execPath, ['examples/broadcast.mjs', file, 'we open at nine'], {
      SVC_URL: instance.api_url,
    })
    await broadcast.printed(/2 of 2: \d+ sent/)
  }
  for (const phone of [ANA, BIA]) {
    const texts = await textsTo(phone, 'we open at nine')
    assert.equal(texts.filter((text) => text === 'we open at nine').length, 1, phone)
  }
})

test('the history has a received message and the status of a sent one', {
  skip: !hasPython && 'python3 is not installed',
}, async (t) => {
  const database = join(folder, 'history.sqlite')
  const env = { WEBHOOK_SECRET: secretOf(), PORT: '0' }
  const history = start(t, 'python3', ['examples/history.py', database], env)
  await subscribe(t, history)
  await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: true })
  await world.sandbox.send(ANA, ME, { text: 'to be kept' })
  await world.gateway.sendText(instance, ANA, 'kept, too')
  await history.printed(/received [\s\S]*received [\s\S]*message_status /)
  const query =
    'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT chat, from_me, status, event FROM message").fetchall())'
  const rows = execFileSync('python3', ['-c', query, database], { encoding: 'utf8' })
  assert.match(rows, new RegExp(`'${ANA}', 0, None, '[^\n]*to be kept`))
  assert.match(rows, new RegExp(`'${ANA}', 1, '(sent|delivered|read)', '[^\n]*kept, too`))
})
