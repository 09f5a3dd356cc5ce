/** Operator commands over a real store: what they print counts, and what they replace is void, also while the service runs. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { program } from '../harness/checkout.ts'

const CLI = program('../../src/cli', import.meta.url)

describe('operator commands', { timeout: 120_000 }, () => {
  let dir: string
  let env: Record<string, string>
  let firstKey: string
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-cli-'))
    // Nothing listens there, and no instance is made: the real network is out of reach and not asked for.
    env = { SVC_DATA_DIR: dir, SVC_PORT: '0', SVC_SHARDS: '1', SVC_LOG_LEVEL: 'silent', SVC_NETWORK_URL: 'ws://127.0.0.1:9' }
  })
  after(() => rm(dir, { recursive: true, force: true }))

  async function cli(...args: string[]) {
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
    const child = spawn(process.execPath, [...CLI, ...args], { env: { ...inherited, ...env } })
    const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { out, errors, code: code as number }
  }

  /** Statuses that `/admin/api-keys` gives these keys, asked of a service that is started for it; and the key that start made. */
  async function serve(keys: string[] = [], meanwhile = async () => keys) {
    const { config } = readConfig({ env })
    const service = await startService(config, { log: createLog('silent', 'main') })
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
    const { errors, code } = await cli('workspace', 'create', '--name', 'early')
    assert.equal(code, 1)
    assert.match(errors, /^svc: The store has no workspace yet[^\n]*\n$/)
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
    const { out } = await cli('workspace', 'create', '--name', 'Branch')
    const [id, value] = out.split('\n') as [string, string]
    assert.deepEqual((await serve([value])).statuses, [200])
    assert.match((await cli('workspace', 'list')).out, new RegExp(`default\n${id}  Branch\n$`))
    assert.match((await cli('admin-key', 'reset', '--workspace', id)).out, /^svc_admin_/)
    assert.deepEqual((await serve([value])).statuses, [401])
  })

  test('what is not a command prints how they are used', async () => {
    assert.match((await cli('admin-key')).out, /^Usage:/)
    const { errors, code } = await cli('admin-key', 'reset', '--workspace', 'nobody')
    assert.deepEqual([errors, code], ['svc: There is no workspace nobody.\n', 1])
  })
})
