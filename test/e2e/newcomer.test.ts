/** The README's commands, as a newcomer runs them on a fresh checkout: through npm, compiled, on a folder that holds nothing. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NEEDED = ['package.json', 'tsconfig.json', 'tsconfig.build.json', '.npmrc', 'src', 'workers']
const DEADLINE = 60_000

let checkout: string
before(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'svc-newcomer-'))
  for (const name of NEEDED) await cp(join(ROOT, name), join(checkout, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
})
after(() => rm(checkout, { recursive: true, force: true }))

function npm(args: string[]): ChildProcess {
  const env = { ...process.env, SVC_PORT: '0', SVC_SANDBOX_PORT: '0', SVC_LOG_LEVEL: 'fatal' }
  // A group of its own, so that npm, its shell and the service end together.
  return spawn('npm', args, { cwd: checkout, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function firstLine(child: ChildProcess, fits: (line: string) => boolean): Promise<string> {
  let out = ''
  let errors = ''
  child.stderr!.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing fits within ${DEADLINE} ms: ${out} ${errors}`)), DEADLINE)
    child.on('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code}: ${out} ${errors}`))
    })
    child.stdout!.on('data', (chunk) => {
      out += chunk
      const line = out.split('\n').slice(0, -1).find(fits)
      if (line === undefined) return
      clearTimeout(timer)
      resolve(line)
    })
  })
}

async function end(child: ChildProcess) {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid!, 'SIGTERM')
  await ended
}

test('npm run sandbox starts from a checkout that was never built, and the printed example pairs, sends and receives', async () => {
  const child = npm(['run', 'sandbox'])
  try {
    await firstLine(child, (line) => line.includes('Admin key'))
    let text = ''
    child.stdout!.on('data', (chunk) => {
      text += chunk
    })
    child.stdout!.emit('data', '')
    const printed = await new Promise<string>((resolve) => {
      const look = () => (text.includes('/inbox?after=0') ? resolve(text) : setTimeout(look, 50))
      look()
    })
    const commands = printed
      .split('\n')
      .filter((line) => /^ {2}(KEY=|URL=|curl|until)/.test(line))
      .join('\n')
    assert.equal(commands.split('\n').length, 5, commands)
    const { stdout } = await promisify(execFile)('bash', ['-c', commands], { timeout: DEADLINE })
    assert.match(stdout, /"status":"queued"/)
    assert.match(stdout, /"text":"echo hello"/)
  } finally {
    await end(child)
  }
})

test('npm start prints one JSON line first when asked, with nothing of a pretend network in it', async () => {
  const child = npm(['start', '--silent', '--', '--json'])
  try {
    const printed = JSON.parse(await firstLine(child, (line) => line.startsWith('{')))
    assert.deepEqual(printed.network, { url: null, root: null, ca: null, media_host: null })
    assert.equal(printed.sandbox_url, null)
    assert.match(printed.admin_key, /^svc_admin_[0-9a-f]{48}$/)
    const response = await fetch(`${printed.base_url}/health/ready`)
    assert.equal(response.status, 200)
    await response.text()
  } finally {
    await end(child)
  }
})
