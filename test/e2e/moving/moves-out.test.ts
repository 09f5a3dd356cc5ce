/**
 * The export command runs beside a running service. An unmodified Baileys then uses the exported folder, which is
 * imported again at the end.
 */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { repetition } from '../../harness/amount.ts'
import { runCommand } from '../../harness/cli.ts'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { type FolderClient, openFolder } from '../../harness/library-folder.ts'
import { readByDevices } from '../../harness/read-by-devices.ts'
import { cliSample } from '../../harness/samples.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'
import { isReady, jidOf, received, textOf } from '../../simulator/client.ts'

const PHONE = '5511999990095'
const [ANA, BIA] = ['5511988880095', '5511988880096'] as const
const MOVED = 'The account was moved to another program, so it is not started here.'

describe('a device moves out into a folder of Baileys', { timeout: 480_000 }, () => {
  let world: World
  let dir: string
  let folder: string
  let group: string
  let instance: Instance
  let library: FolderClient | undefined
  let back: string

  const cli = (...args: string[]) => runCommand(world.dir, 'instance', ...args)
  const statusOf = async () => (await world.gateway.must(instance, 'GET', '/status')) as { status: string; error: string | null }
  const said = (what: string) =>
    world.receiver.waitFor(
      what,
      ({ type, text: body }) => type === 'received' && (body as { message?: string })?.message === what,
    )
  async function gotBy(phone: string, what: string) {
    const items = await until(
      () => world.sandbox.inbox(phone),
      (all) => all.some((item) => item.text === what),
    )
    return items.find((item) => item.text === what)!
  }
  const watchRetries = async () => {
    const match = { from: 'client', account: PHONE, tag: 'receipt', type: 'retry' }
    const { id } = await world.sandbox.post<{ id: string }>('/expect', { match, count: 1, wait_ms: 0 })
    return async () => (await world.sandbox.get<{ items: unknown[] }>(`/expect/${id}?wait_ms=0`)).items
  }

  before(async () => {
    world = await startWorld({ untraced: true, own: true })
    dir = await mkdtemp(join(tmpdir(), 'svc-moving-'))
    folder = join(dir, 'auth')
    const { sandbox, gateway, receiver } = world
    for (const phone of [ANA, BIA]) await sandbox.createContact(phone, { devices: 2 })
    instance = await gateway.connected(sandbox, PHONE, receiver)
    group = (await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BIA, PHONE] })).id
    await sandbox.send(ANA, PHONE, { text: 'hello from Ana' })
    await said('hello from Ana')
    await gateway.sendText(instance, ANA, 'hello Ana')
    await gotBy(ANA, 'hello Ana')
    await gateway.sendText(instance, BIA, 'hello Bia')
    await gotBy(BIA, 'hello Bia')
    await sandbox.send(ANA, group, { text: 'hello group' })
    await said('hello group')
    await gateway.sendText(instance, `${group.split('@')[0]}-group`, 'hello all')
    await gotBy(BIA, 'hello all')
    await until(sandbox.pending, (count) => count === 0)
  })
  after(async () => {
    await library?.stop()
    await world.stop()
    await rm(dir, { recursive: true, force: true })
  })

  test('a folder that is not empty, an unknown instance and a move that did not happen are refused, and the instance goes on', async () => {
    await mkdir(join(dir, 'used'))
    await writeFile(join(dir, 'used', 'file'), '')
    const refusals = [
      [['export', instance.id, join(dir, 'used'), '--to', 'baileys'], /is not empty; name one that does not exist yet/],
      [['export', 'nobody', join(dir, 'other'), '--to', 'baileys'], /There is no instance nobody\./],
      [['export', instance.id, join(dir, 'other'), '--to', 'telegram'], /--to is "telegram"; it must be svc or baileys\./],
      [['resume', instance.id], /was not moved to another program; its status is connected\./],
    ] as const
    for (const [args, says] of refusals) {
      const { code, errors } = await cli(...args)
      assert.notEqual(code, 0)
      assert.match(errors, says)
    }
    assert.equal((await statusOf()).status, 'connected')
  })

  test('the instance is stopped for good, and its folder is private', async () => {
    const { imported_from, imported_at } = (await world.gateway.must(instance, 'GET', '/me')) as Record<string, unknown>
    assert.deepEqual([imported_from, imported_at], [null, null], 'it was paired here')
    const values = { '<id>': instance.id, '/path/to/auth': folder }
    const moved = await runCommand(world.dir, ...cliSample('docs/moving.md', '--to baileys', values))
    assert.equal(moved.code, 0, moved.errors)
    assert.match(moved.out, /^(\d+) sessions with devices: \1 written\.$/m)
    assert.match(moved.out, /^(\d+) one-time keys: \1 written\.$/m)
    for (const secret of [PHONE, ANA, BIA]) assert.ok(!moved.out.includes(secret), 'the report names nobody')
    assert.deepEqual([(await statusOf()).status, (await statusOf()).error], ['stopped', MOVED])
    const modes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777))
    assert.deepEqual([...new Set(modes)], [0o600])
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    for (const [method, path] of [
      ['POST', '/restart'],
      ['GET', '/qr-code'],
    ] as const) {
      const { status, body } = await world.gateway.ask(instance, method, path)
      assert.deepEqual([status, (body as { error: { code: string } }).error.code], [403, 'not_allowed'], path)
    }
    await world.restartService()
    assert.equal((await statusOf()).status, 'stopped')
  })

  test('a move that is called off is taken back', async () => {
    const resumed = await cli('resume', instance.id)
    assert.equal(resumed.code, 0, resumed.errors)
    await world.gateway.waitForStatus(instance, 'connected')
    await world.sandbox.send(ANA, PHONE, { text: 'after the resume' })
    await said('after the resume')
    await until(world.sandbox.pending, (count) => count === 0)
    await rm(folder, { recursive: true })
    assert.equal((await cli('export', instance.id, folder, '--to', 'baileys')).code, 0)
  })

  test('Baileys reads what waited, writes to everybody, and asks for nothing again', async (t) => {
    const { sandbox } = world
    const retries = await watchRetries()
    await sandbox.send(ANA, PHONE, { text: 'waiting from Ana' })
    await sandbox.send(BIA, PHONE, { text: 'waiting from Bia' })
    await sandbox.send(ANA, group, { text: 'waiting in the group' })
    library = await openFolder(world, folder)
    const { client } = library
    await isReady(client)
    const waiting = ['waiting from Ana', 'waiting from Bia', 'waiting in the group']
    for (const words of waiting) await received(client, words)
    const sends = [
      { to: jidOf(ANA), readers: [ANA] },
      { to: jidOf(BIA), readers: [BIA] },
      { to: group, readers: [ANA, BIA] },
    ]
    let devices = 0
    for (const { to, readers } of sends) {
      const text = `from there to ${to}`
      const { key } = (await client.socket.sendMessage(to, { text }))!
      for (const phone of readers) {
        devices += await readByDevices(sandbox, phone, key.id!, 2)
        assert.equal((await gotBy(phone, text)).retries, 0)
      }
      devices += await readByDevices(sandbox, PHONE, key.id!, 1)
    }
    const again = await retries()
    assert.deepEqual(again, [], 'messages asked for again')
    const arrived = client.messages.filter((message) => waiting.includes(textOf(message) ?? '')).length
    assert.equal(arrived, waiting.length, 'each message arrived once')
    t.diagnostic(
      `svc to Baileys: ${arrived} of ${waiting.length} waiting messages arrived, ${again.length} asked for again, ${sends.length} sends read by all ${devices} devices`,
    )
    await until(sandbox.pending, (count) => count === 0)
    await library.stop()
    library = undefined
  })

  test('the instance can be deleted without logging the device out, and the device comes back', async (t) => {
    const { gateway, receiver, sandbox } = world
    await must('DELETE', `${gateway.baseUrl}/account/instances/${instance.id}`, undefined, gateway.account)
    await must('PUT', `${gateway.baseUrl}/account/webhooks`, { single_url: receiver.url }, gateway.account)
    const retries = await watchRetries()
    await sandbox.send(BIA, PHONE, { text: 'on the way back' })
    const imported = await cli('import', '--from', 'baileys', folder, '--stopped')
    assert.match(imported.out, /^The instance is connected\.$/m, imported.errors)
    back = /^Instance: (\S+)$/m.exec(imported.out)![1]!
    const shown = await must<Instance>('GET', `${gateway.baseUrl}/account/instances/${back}`, undefined, gateway.account)
    receiver.trust(back, shown.webhooks.secret)
    await said('on the way back')
    const again = await retries()
    assert.deepEqual(again, [], 'messages asked for again')
    t.diagnostic(`and back: 1 of 1 waiting message arrived, ${again.length} asked for again`)
  })

  test('with a stopped service the command does the same by itself', { skip: repetition }, async () => {
    const { gateway } = world
    const id = back
    await world.restartService(async () => {
      const moved = await cli('export', id, join(dir, 'again'), '--to', 'baileys')
      assert.equal(moved.code, 0, moved.errors)
    })
    const stateOf = async () =>
      (await must<{ status: string }>('GET', `${gateway.baseUrl}/account/instances/${id}`, undefined, gateway.account)).status
    await until(stateOf, (status) => status === 'stopped')
    await world.restartService(async () => {
      assert.equal((await cli('resume', id)).code, 0)
    })
    await until(stateOf, (status) => status === 'connected')
  })
})
