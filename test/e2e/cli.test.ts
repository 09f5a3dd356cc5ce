import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { CLI, HOOKS, ROOT, START } from '../harness/checkout.ts'

const BUILT = new URL('../../', import.meta.url)

async function ended(file: string, args: string[], cwd: string | URL, env: Record<string, string> = {}) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const child = spawn(file, args, { cwd, env: { ...inherited, ...env } })
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, errors, code: code as number }
}

describe('operator commands', { timeout: 300_000 }, () => {
  let dir: string
  let env: Record<string, string>
  let firstKey: string
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-cli-'))
    // Nothing listens at this network address, so the service never contacts the real network.
    env = { SVC_DATA_DIR: dir, SVC_PORT: '0', SVC_SHARDS: '1', SVC_LOG_LEVEL: 'silent', SVC_NETWORK_URL: 'ws://127.0.0.1:9' }
  })
  after(() => rm(dir, { recursive: true, force: true }))

  const cli = (...args: string[]) => ended(process.execPath, [...CLI, ...args], ROOT, env)
  const started = (...args: string[]) => ended(process.execPath, [...START, ...args], ROOT, env)

  /**
   * Requests `/admin/api-keys` with each of these keys. Returns the statuses, and the admin key that the service
   * printed at its start.
   */
  async function serve(keys: string[] = [], meanwhile = async () => keys) {
    const { config } = readConfig({ env })
    const service = await startService(config, { log: createLog({ level: 'silent' }, 'main') })
    try {
      const ask = (key: string) => fetch(`${service.baseUrl}/admin/api-keys`, { headers: { authorization: `Bearer ${key}` } })
      return {
        adminKey: service.adminKey,
        statuses: await Promise.all((await meanwhile()).map(async (key) => (await ask(key)).status)),
      }
    } finally {
      await service.stop(1_000)
    }
  }

  test('a store that no service has used yet is left alone', async () => {
    for (const args of [
      ['workspace', 'list'],
      ['workspace', 'create', '--name', 'early'],
      ['admin-key', 'reset'],
    ]) {
      const { errors, code } = await cli(...args)
      assert.equal(code, 1)
      assert.match(
        errors,
        new RegExp(`^Data folder: ${dir}\nsvc: There is no store in ${dir}/state; start the service once[^\n]*\n$`),
      )
    }
    assert.deepEqual(await readdir(dir), [])
    const { errors } = await cli('workspace', 'list', '--sandbox')
    assert.match(errors, new RegExp(`There is no store in ${dir}/sandbox/state`))
    firstKey = (await serve()).adminKey!
    assert.match(firstKey, /^svc_admin_/)
  })

  test('a new admin key voids the old one', async () => {
    const { out, code } = await cli('admin-key', 'reset')
    assert.equal(code, 0)
    const value = /svc_admin_[0-9a-f]{48}/.exec(out)![0]
    assert.deepEqual((await serve([firstKey, value])).statuses, [401, 200])
    firstKey = value
  })

  test('a new admin key voids the old one in the service that runs', async () => {
    const { statuses } = await serve([], async () => {
      const { out } = await cli('admin-key', 'reset')
      return [firstKey, /svc_admin_[0-9a-f]{48}/.exec(out)![0]]
    })
    assert.deepEqual(statuses, [401, 200])
  })

  test('a second workspace has an admin key of its own, and is listed', async () => {
    const refused = await cli('workspace', 'create', '--name', 'Bra\u202ench')
    assert.equal(refused.code, 2)
    assert.match(refused.errors, /--name must not have the direction control U\+202E\./)
    const { out } = await cli('workspace', 'create', '--name', 'Branch')
    const [id, value] = out.split('\n') as [string, string]
    assert.deepEqual((await serve([value])).statuses, [200])
    assert.match((await cli('workspace', 'list')).out, new RegExp(`0/50  default\n${id}     0/50  Branch\n$`))
    assert.match((await cli('admin-key', 'reset', '--workspace', id)).out, /^svc_admin_/)
    assert.deepEqual((await serve([value])).statuses, [401])
  })

  const setSlots = async (slots: string) => (await cli('workspace', 'set', '--slots', slots)).out

  test('a number of slots counts at once in the service that runs', async () => {
    const { config } = readConfig({ env })
    const service = await startService(config, { log: createLog(config.logging, 'main') })
    try {
      const post = (path: string, key: string, body: object) =>
        fetch(`${service.baseUrl}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).then((answer) => answer.json() as Promise<Record<string, unknown>>)
      const admin = /svc_admin_[0-9a-f]{48}/.exec((await cli('admin-key', 'reset')).out)![0]
      const { value } = await post('/admin/api-keys', admin, { name: 'slots', scopes: ['instances:write'] })
      assert.match(await setSlots('0'), /^\S+ may have 0 instances; it has 0\.\n$/)
      const { error } = await post('/account/instances', String(value), { name: 'one too many' })
      const { code, details } = error as { code: string; details: object }
      assert.deepEqual([code, details], ['instance_limit_reached', { instance_slots: 0, instances_used: 0 }])
    } finally {
      await service.stop(1_000)
    }
  })

  test('what is asked of a workspace that is not there fails with one sentence', async () => {
    const { errors, code } = await cli('admin-key', 'reset', '--workspace', 'nobody')
    assert.deepEqual([errors, code], [`Data folder: ${dir}\nsvc: There is no workspace nobody.\n`, 1])
  })

  test('--version names the software and the release, as the start does', async () => {
    const { version } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as { version: string }
    assert.equal((await cli('--version')).out, `svc ${version}\n`)
    assert.deepEqual(await started('--version'), { out: `svc ${version}\n`, errors: '', code: 0 })
  })

  test('a command line that is not understood ends with code 2, a sentence and where the help is; help itself ends with 0', async () => {
    const { out, errors, code } = await cli('workspace', 'set', '--slots', 'many')
    assert.deepEqual([out, code], ['', 2])
    assert.match(
      errors,
      /svc: --slots is "many"; it must be a whole number from 0 to 10000\.\nSee: npm run cli -- help workspace set\n$/,
    )
    const help = await cli('help', 'workspace', 'set')
    assert.deepEqual(
      [help.out.split('\n')[0], help.errors, help.code],
      ['Usage: npm run cli -- workspace set --slots <n> [--workspace <id>]', '', 0],
    )
  })
})

const skip = HOOKS.length > 0 ? 'runs from source: nothing is compiled beside it' : false
test('a tree without the compiler runs what was built, and says so where nothing was', { timeout: 280_000, skip }, async () => {
  const tree = await mkdtemp(join(tmpdir(), 'svc-pruned-'))
  try {
    for (const name of ['package.json', 'scripts']) await cp(new URL(name, ROOT), join(tree, name), { recursive: true })
    await mkdir(join(tree, 'node_modules'))
    const { dependencies } = JSON.parse(await readFile(join(tree, 'package.json'), 'utf8')) as { dependencies: object }
    for (const name of Object.keys(dependencies)) {
      await mkdir(join(tree, 'node_modules', name, '..'), { recursive: true })
      await symlink(new URL(`node_modules/${name}`, ROOT), join(tree, 'node_modules', name))
    }
    const npm = (...args: string[]) => ended('npm', ['run', '--silent', 'cli', '--', ...args], tree)
    assert.match((await npm('--version')).errors, /^Nothing is built, and what builds it is not installed/)
    // The tests were compiled with the same options as `npm run build` uses. So their compiled files are used instead
    // of another build.
    for (const name of ['src', 'workers']) await cp(new URL(name, BUILT), join(tree, 'dist', name), { recursive: true })
    const { out, code } = await npm('--version')
    assert.deepEqual([out.slice(0, 4), code], ['svc ', 0])
    assert.match((await npm('workspace', 'list')).errors, /There is no store in /)
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
})
