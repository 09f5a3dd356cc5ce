/**
 * Runs the commands of the READMEs unchanged on a fresh clone, so `npm ci` installs from the registry, and the default
 * ports are used. Prints how long it takes until the first message, the first webhook and the dashboard.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../harness/checkout.ts'
import { sampleWith } from '../harness/samples.ts'

const run = promisify(execFile)
const BASE_URL = 'http://localhost:8080'
/** Time limit of an installation in ms. */
const DEADLINE = 600_000

const isFree = await fetch(BASE_URL).then(
  () => false,
  () => true,
)

describe('a newcomer with a fresh clone', { skip: !isFree && 'port 8080 is in use', timeout: 2 * DEADLINE }, () => {
  let dir: string
  let clone: string

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-clone-'))
    clone = join(dir, 'svc')
    await run('git', ['clone', '--quiet', new URL('.', ROOT).pathname, clone])
  })
  after(() => rm(dir, { recursive: true, force: true }))

  /**
   * Runs commands in a shell, which is ended when the test ends. `printed` resolves with the output as soon as it
   * contains the text.
   */
  function shell(t: TestContext, commands: string, env: Record<string, string> = {}) {
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
    const child: ChildProcess = spawn('bash', ['-c', commands], { cwd: clone, env: { ...inherited, ...env }, detached: true })
    const ended = new Promise((resolve) => child.once('close', resolve))
    let out = ''
    const looks = new Set<() => void>()
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (piece) => {
        out += piece
        for (const look of [...looks]) look()
      })
    t.after(async () => {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM')
      await ended
    })
    return {
      printed: (text: string) =>
        new Promise<string>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`no "${text}" in time: ${out}`)), DEADLINE)
          const look = () => {
            if (!out.includes(text)) return
            clearTimeout(timer)
            looks.delete(look)
            resolve(out)
          }
          looks.add(look)
          look()
        }),
    }
  }

  test('in each language the same two commands install, and start the service or the sandbox', () => {
    for (const words of ['npm ci && npm start', 'npm ci && npm run sandbox'])
      for (const page of ['docs/pt/README.md', 'docs/es/README.md'])
        assert.equal(sampleWith(page, words), sampleWith('README.md', words))
  })

  test('the service starts, and says where the dashboard is', async (t) => {
    const begin = performance.now()
    await shell(t, sampleWith('README.md', 'npm ci && npm start')).printed('Admin key')
    assert.equal((await fetch(`${BASE_URL}/dashboard`)).status, 200)
    t.diagnostic(`dashboard after ${Math.round((performance.now() - begin) / 1_000)} s`)
  })

  test('in the sandbox the commands send a message, and receive the answer as a webhook', async (t) => {
    const begin = performance.now()
    const after = () => `${Math.round((performance.now() - begin) / 1_000)} s`
    const started = await shell(t, sampleWith('README.md', 'npm ci && npm run sandbox')).printed('/inbox?after=0')
    t.diagnostic(`sandbox after ${after()}`)
    const [admin = ''] = /svc_admin_[0-9a-f]{48}/.exec(started) ?? []
    const further = ["'prefer: wait=10'", '/webhooks'].map((words) => sampleWith('README.md', words))
    const reader = shell(t, [sampleWith('README.md', '$ADMIN'), ...further, 'wait'].join('\n'), { ADMIN: admin })
    await reader.printed('"text":"echo hello"')
    t.diagnostic(`first message after ${after()}`)
    await reader.printed('\nreceived 0')
    t.diagnostic(`first webhook after ${after()}`)
  })
})
