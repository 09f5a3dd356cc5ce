/** An administrator exports an instance over HTTP: a backup while it runs, and a move, whose archive is imported again. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readInstanceArchive } from '../../../src/archive/instance-archive.ts'
import { runCommand } from '../../harness/cli.ts'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'

const PHONE = '5511999990063'
const ANA = '5511988880063'
const PASSPHRASE = 'correct horse battery'

describe('an instance is exported over HTTP', { timeout: 240_000 }, () => {
  let world: World
  let dir: string
  let instance: Instance
  before(async () => {
    world = await startWorld({ own: true, untraced: true })
    dir = await mkdtemp(join(tmpdir(), 'svc-archive-route-'))
    await world.sandbox.createContact(ANA)
    instance = await world.gateway.connected(world.sandbox, PHONE, world.receiver)
  })
  after(async () => {
    await world.stop()
    await rm(dir, { recursive: true, force: true })
  })

  const request = (kind: string, signal?: AbortSignal) =>
    fetch(`${world.gateway.baseUrl}/admin/instances/${instance.id}/export`, {
      method: 'POST',
      headers: { ...world.gateway.admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind, passphrase: PASSPHRASE }),
      ...(signal ? { signal } : {}),
    })

  async function exported(kind: string, name: string) {
    const answer = await request(kind)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('Content-Type'), 'application/octet-stream')
    assert.match(answer.headers.get('Content-Disposition') ?? '', new RegExp(`"${instance.id}\\.age"`))
    const file = join(dir, name)
    await writeFile(file, new Uint8Array(await answer.arrayBuffer()))
    const families = new Map<string, number>()
    const { head } = await readInstanceArchive(file, PASSPHRASE, {
      record(record) {
        const family = record.split(':')[0]!
        families.set(family, (families.get(family) ?? 0) + 1)
      },
      blob() {},
    })
    assert.deepEqual([head.kind, head.id], [kind, instance.id])
    return { file, families }
  }
  const texts = async () => (await world.sandbox.inbox(ANA)).map(({ text }) => text)

  test('a backup has the device, and the instance goes on', async () => {
    const { families } = await exported('backup', 'backup.age')
    assert.equal(families.get('creds'), 1)
    assert.equal((await world.gateway.status(instance)).status, 'connected')
  })

  test('a proxy on the same machine gets no archive while the address of the service does not begin with https', async () => {
    const answer = await fetch(`${world.gateway.baseUrl}/admin/instances/${instance.id}/export`, {
      method: 'POST',
      headers: { ...world.gateway.admin, 'Content-Type': 'application/json', 'X-Forwarded-For': '203.0.113.9' },
      body: JSON.stringify({ kind: 'backup', passphrase: PASSPHRASE }),
    })
    assert.deepEqual([answer.status, ((await answer.json()) as { error: { code: string } }).error.code], [403, 'not_allowed'])
  })

  test('a move can be repeated after a cut, has the queue, and is imported with it', async () => {
    await world.gateway.sendText(instance, ANA, 'waits', { delay_message: 15 })
    const cut = new AbortController()
    await request('move', cut.signal).then(({ body }) => body!.getReader().read())
    cut.abort()
    await world.gateway.waitForStatus(instance, 'stopped')
    const late = await world.gateway.ask(instance, 'POST', '/send-text', { phone: ANA, message: 'late' })
    assert.deepEqual([late.status, (late.body.error as { code: string }).code], [409, 'queue_disabled_while_disconnected'])
    const { file, families } = await exported('move', 'move.age')
    assert.equal(families.get('queue'), 1)

    await must('DELETE', `${world.gateway.baseUrl}/account/instances/${instance.id}`, undefined, world.gateway.account)
    const passphrase = join(dir, 'passphrase')
    await writeFile(passphrase, PASSPHRASE)
    const imported = await runCommand(world.dir, 'instance', 'import', '--from', 'svc', file, '--passphrase-file', passphrase)
    assert.match(imported.out, /^The instance is connected\.$/m, imported.errors)
    await until(texts, (all) => all.includes('waits'))
    assert.equal((await texts()).filter((text) => text === 'waits').length, 1)
  })

  test('an instance that is not linked is refused', async () => {
    instance = await world.gateway.createInstance(null)
    const answer = await request('move')
    assert.deepEqual([answer.status, ((await answer.json()) as { error: { code: string } }).error.code], [403, 'not_allowed'])
  })
})
