/**
 * Runs the commands of the README as a new user does: in a fresh checkout, with a build, and with an empty data folder.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { amount } from '../harness/amount.ts'
import { ROOT as CHECKOUT } from '../harness/checkout.ts'
import { freePort } from '../harness/proxies.ts'
import { sampleWith } from '../harness/samples.ts'

const ROOT = fileURLToPath(CHECKOUT)
const NEEDED = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  '.npmrc',
  'scripts',
  'src',
  'workers',
  'packages/sandbox/src',
]
const DEADLINE = 180_000

let checkout: string
before(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'svc-newcomer-'))
  for (const name of NEEDED) await cp(join(ROOT, name), join(checkout, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
})
after(() => rm(checkout, { recursive: true, force: true }))

interface Started {
  child: ChildProcess
  printed(text: string): Promise<string>
}

const npm = (args: string[]) => start('npm', args, checkout)

function start(command: string, args: string[], cwd: string): Started {
  const env = { ...process.env, SVC_PORT: '0', SVC_SANDBOX_PORT: '0', SVC_LOG_LEVEL: 'fatal' }
  // The command gets a process group of its own. So when npm or the shell is ended, the processes that they started are
  // ended, too.
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stderr!.on('data', (chunk) => {
    errors += chunk
  })
  child.stdout!.on('data', (chunk) => {
    out += chunk
  })
  return {
    child,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no ${text} within ${DEADLINE} ms: ${out} ${errors}`)), DEADLINE)
        const look = () => {
          if (!out.includes(text)) return
          clearTimeout(timer)
          resolve(out)
        }
        child.stdout!.on('data', look)
        child.on('exit', (code) => reject(new Error(`ended with ${code}: ${out} ${errors}`)))
        look()
      }),
  }
}

async function end(child: ChildProcess) {
  // If the process has ended by itself, it has already printed the reason, and need not be ended.
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid!, 'SIGTERM')
  await ended
}

async function ran(lines: readonly string[], text: string): Promise<string> {
  const shell = start('bash', ['-c', lines.join('\n')], ROOT)
  try {
    return await shell.printed(text)
  } finally {
    await end(shell.child)
  }
}

const READMES = amount(['README.md', 'docs/pt/README.md', 'docs/es/README.md'], ['README.md'])

test('npm run sandbox starts from a checkout that was never built, and the printed example and each README pair, send and receive', async () => {
  const { child, printed } = npm(['run', 'sandbox'])
  try {
    const text = await printed('/inbox?after=0')
    const commands = text.split('\n').filter((line) => /^ {2}(KEY=|URL=|curl|until)/.test(line))
    assert.equal(commands.length, 5, text)
    const said = await ran([...commands, 'echo "URL is $URL."'], 'URL is ')
    assert.match(said, /"status":"queued"[\s\S]*"text":"echo hello"/)
    const [, url] = /URL is (\S+)\./.exec(said)!
    const port = String(await freePort())
    for (const page of READMES) {
      const samples = [sampleWith(page, "'prefer: wait=10'"), sampleWith(page, '/webhooks')].join('\n')
      // The sample starts the receiver in the background. `wait` keeps the shell running until the test stops it.
      const lines = [`export PORT=${port} URL=${url}`, samples.replaceAll('9000', port), 'wait']
      assert.match(await ran(lines, 'received 0'), /"status":"sent"/, page)
    }
  } finally {
    await end(child)
  }
})

test('npm start prints one JSON line first when asked, with nothing of a pretend network in it', async () => {
  const { child, printed } = npm(['start', '--silent', '--', '--json'])
  try {
    const [line = ''] = (await printed('}}\n')).split('\n')
    const ready = JSON.parse(line)
    assert.deepEqual(ready.network, { url: null, root: null, root_serial: null, ca: null, media_host: null })
    assert.equal(ready.sandbox_url, null)
    assert.match(ready.admin_key, /^svc_admin_[0-9a-f]{48}$/)
    const response = await fetch(`${ready.base_url}/health/ready`)
    assert.equal(response.status, 200)
    await response.text()
  } finally {
    await end(child)
  }
})
