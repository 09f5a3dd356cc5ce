import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DAY } from '../../../src/domain/clock.ts'
import { runCommand } from '../../harness/cli.ts'
import { createGateway, type Gateway, type Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { type Running, run } from '../../harness/process.ts'
import { readByDevices } from '../../harness/read-by-devices.ts'
import { cliSample } from '../../harness/samples.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'

const PHONE = '5511999990097'
const [ANA, BIA] = ['5511988880097', '5511988880098'] as const
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/**
 * Number of messages that are sent after the backup. With the outdated Signal sessions of the backup, contacts would
 * drop this number of messages as duplicates.
 */
const SENT_SINCE = 20

describe('an instance moves to another server', { timeout: 480_000 }, () => {
  let world: World
  let target: Running
  let there: Gateway
  let dir: string
  let passphrase: string
  let archive: string
  let instance: Instance
  let group: string

  const at = (dataDir: string, ...args: string[]) => runCommand(dataDir, 'instance', ...args, '--passphrase-file', passphrase)
  const targetDir = () => join(dir, 'target')
  /**
   * Returns the instance on the other server. Its id and token stay the same after the move, but its URL is different.
   */
  const moved = (): Instance => ({ ...instance, api_url: `${there.baseUrl}/instances/${instance.id}/token/${instance.token}` })
  const texts = async () => (await world.sandbox.inbox(ANA, 0, 1_000)).map((item) => item.text)
  const times = async (what: string) => (await texts()).filter((each) => each === what).length
  const told = (what: string) =>
    world.receiver.waitFor(
      what,
      ({ type, text: body }) => type === 'received' && (body as { message?: string })?.message === what,
    )

  before(async () => {
    world = await startWorld({ own: true, untraced: true })
    dir = await mkdtemp(join(tmpdir(), 'svc-archive-'))
    passphrase = join(dir, 'passphrase')
    archive = join(dir, 'instance.age')
    await writeFile(passphrase, 'correct horse battery\n')
    const { url, root, ca, media_host } = world.network.network
    target = await run([], {
      SVC_DATA_DIR: targetDir(),
      SVC_PORT: '0',
      SVC_NETWORK_URL: url!,
      SVC_NETWORK_ROOT: root!,
      SVC_NETWORK_CA: ca!,
      SVC_NETWORK_MEDIA_HOST: media_host!,
      SVC_EGRESS_ALLOW: '127.0.0.0/8,::1',
    })
    there = await createGateway(target.printed.base_url!, target.printed.admin_key!)
    for (const phone of [ANA, BIA]) await world.sandbox.createContact(phone, { devices: 2 })
    instance = await world.gateway.connected(world.sandbox, PHONE, world.receiver)
    await world.sandbox.send(ANA, PHONE, { text: 'hello' })
    await told('hello')
    await world.gateway.sendText(instance, ANA, 'hello Ana')
    // Bia never sends a message to the account, so she counts as a contact who has not answered.
    await world.gateway.sendText(instance, BIA, 'hello Bia')
    group = (await world.sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BIA, PHONE] })).id
    await world.sandbox.send(ANA, group, { text: 'hello group' })
    await told('hello group')
    await until(texts, (all) => all.includes('hello Ana'))
    await until(world.sandbox.pending, (count) => count === 0)
  })
  after(async () => {
    await target?.stop()
    await world.stop()
    await rm(dir, { recursive: true, force: true })
  })

  test('a short passphrase, a file that exists and a target without an archive are refused, and the instance goes on', async () => {
    await writeFile(join(dir, 'short'), 'short')
    await writeFile(join(dir, 'used'), '')
    const refusals = [
      [
        runCommand(world.dir, 'instance', 'export', instance.id, archive, '--to', 'svc', '--passphrase-file', join(dir, 'short')),
        /at least 12/,
      ],
      [runCommand(world.dir, 'instance', 'export', instance.id, archive, '--to', 'svc'), /name a file that contains it/],
      [at(world.dir, 'export', instance.id, join(dir, 'used'), '--to', 'svc'), /exists already; name another one/],
      [at(targetDir(), 'import', '--from', 'svc', join(dir, 'used')), /is not an archive of this service/],
    ] as const
    for (const [refused, says] of refusals) {
      const { code, errors } = await refused
      assert.notEqual(code, 0)
      assert.match(errors, says)
    }
    assert.equal(((await world.gateway.must(instance, 'GET', '/status')) as { status: string }).status, 'connected')
  })

  test('queue, waiting events and the account move; everything happens once', async (t) => {
    const { gateway, sandbox, receiver } = world
    // While this is true, the webhook receiver answers with 500, so events wait in the service.
    let isAway = true
    const taken: unknown[] = []
    receiver.reply(({ event }, response) => {
      if (!isAway) taken.push((event.text as { message?: string })?.message)
      response.writeHead(isAway ? 500 : 200).end()
    })
    await sandbox.send(ANA, PHONE, { text: 'an event that waits' })
    await told('an event that waits')
    await gateway.sendText(instance, ANA, 'first', { delay_message: 15 })
    await gateway.must(instance, 'POST', '/send-image', { phone: ANA, image: PICTURE, caption: 'second' })
    await gateway.sendText(instance, ANA, 'third', { delay_message: 1 })
    const inAWeek = new Date(Date.now() + 7 * DAY).toISOString()
    const { svc_id } = await gateway.sendText(instance, ANA, 'in a week', { send_at: inAWeek })

    const sample = (words: string) =>
      cliSample('docs/moving.md', words, { '<id>': instance.id, 'instance.age': archive }).slice(1)
    const exported = await at(world.dir, ...sample('instance.age --to svc'))
    assert.equal(exported.code, 0, exported.errors)
    assert.match(exported.out, /records, 1 media files\./)
    const here = (await gateway.must(instance, 'GET', '/status')) as { status: string; error: string }
    assert.deepEqual(
      [here.status, here.error],
      ['stopped', 'The account was moved to another program, so it is not started here.'],
    )
    assert.equal(((await gateway.must(instance, 'GET', '/queue')) as { total: number }).total, 0)
    const { id: retries } = await sandbox.post<{ id: string }>('/expect', {
      match: { from: 'client', account: PHONE, tag: 'receipt', type: 'retry' },
      count: 1,
      wait_ms: 0,
    })
    const waiting = ['from Ana during the move', 'from Bia during the move', 'in the group during the move'] as const
    await sandbox.send(ANA, PHONE, { text: waiting[0] })
    await sandbox.send(BIA, PHONE, { text: waiting[1] })
    await sandbox.send(BIA, group, { text: waiting[2] })
    isAway = false

    const dry = await at(targetDir(), ...sample('instance.age --dry-run'))
    assert.match(dry.out, /^Nothing was written\.$/m, dry.errors)
    const imported = await at(targetDir(), ...sample('--from svc instance.age'))
    assert.match(imported.out, /^The instance is connected\.$/m, imported.errors)
    assert.ok(!imported.out.includes(instance.token), 'the token stays and is not shown')
    const status = (await there.must(moved(), 'GET', '/status')) as { status: string; phone: string }
    assert.deepEqual([status.status, status.phone], ['connected', PHONE])
    const me = (await there.must(moved(), 'GET', '/me')) as { imported_from: string; imported_at: string }
    assert.equal(me.imported_from, 'svc')
    assert.ok(Math.abs(Date.parse(me.imported_at) - Date.now()) < 120_000, me.imported_at)
    for (const what of ['an event that waits', ...waiting])
      await until(
        async () => taken.filter((each) => each === what).length,
        (count) => count === 1,
      )
    await until(texts, (all) => all.includes('third'))
    for (const what of ['first', 'second', 'third']) assert.equal(await times(what), 1, what)
    const { data } = (await there.must(moved(), 'GET', '/queue')) as { data: { svc_id: string; send_at: string }[] }
    assert.deepEqual(
      data.map((item) => [item.svc_id, item.send_at]),
      [[svc_id, inAWeek]],
    )
    await there.must(moved(), 'DELETE', `/queue/${svc_id}`)
    const items = await sandbox.inbox(ANA, 0, 1_000)
    assert.ok(
      items.every(({ retries }) => retries === 0),
      'nothing was asked for again',
    )
    assert.equal(taken.filter((each) => each === 'an event that waits').length, 1)
    await there.sendText(moved(), BIA, 'from there to Bia')
    await there.sendText(moved(), `${group.split('@')[0]}-group`, 'from there to all')
    let readers = 0
    const ids = new Set<string>()
    for (const [phone, text] of [
      [ANA, 'third'],
      [BIA, 'from there to Bia'],
      [ANA, 'from there to all'],
      [BIA, 'from there to all'],
    ] as const) {
      const found = (all: typeof items) => all.find((item) => item.text === text)
      const { id } = found(
        await until(
          () => sandbox.inbox(phone, 0, 1_000),
          (all) => found(all) !== undefined,
        ),
      )!
      readers += await readByDevices(sandbox, phone, id, 2)
      ids.add(id)
    }
    for (const id of ids) readers += await readByDevices(sandbox, PHONE, id, 1)
    assert.deepEqual((await sandbox.get<{ items: unknown[] }>(`/expect/${retries}?wait_ms=0`)).items, [])
    t.diagnostic(`svc: 3 of 3 waiting messages arrived, 0 asked for again, ${ids.size} sends read by all ${readers} devices`)
    const again = await at(targetDir(), 'import', '--from', 'svc', archive)
    assert.match(again.errors, /is already linked as this device/)
  })

  test('deleting the instance at the source logs nothing out, and the target survives a restart of the source', async () => {
    await must('DELETE', `${world.gateway.baseUrl}/account/instances/${instance.id}`, undefined, world.gateway.account)
    await world.restartService()
    await there.sendText(moved(), ANA, 'after the deletion')
    await until(texts, (all) => all.includes('after the deletion'))
  })

  test('a backup is used after more was sent: nothing that is sent with it is lost, and the token is another one', async () => {
    const backup = join(dir, 'backup.age')
    const made = await at(targetDir(), 'export', instance.id, backup, '--to', 'svc', '--backup')
    assert.equal(made.code, 0, made.errors)
    assert.match(made.out, /0 media files\.\nThe instance goes on here\./)
    for (let number = 1; number <= SENT_SINCE; number++) await there.sendText(moved(), ANA, `after the backup ${number}`)
    await until(texts, (all) => all.includes(`after the backup ${SENT_SINCE}`))
    await target.stop()

    const restored = await at(world.dir, 'import', '--from', 'svc', backup, '--name', 'Restored')
    assert.match(restored.out, /^The instance is connected\.$/m, restored.errors)
    const [, token = ''] = /^Token: {4}(\S+)$/m.exec(restored.out) ?? []
    assert.ok(token !== '' && token !== instance.token)
    const back = { ...instance, token, api_url: `${world.gateway.baseUrl}/instances/${instance.id}/token/${token}` }
    for (const number of [1, 2, 3]) await world.gateway.sendText(back, ANA, `from the backup ${number}`)
    await until(texts, (all) => all.includes('from the backup 3'))
    for (const number of [1, 2, 3]) assert.equal(await times(`from the backup ${number}`), 1)
    await world.sandbox.send(ANA, PHONE, { text: 'answer to the backup' })
    await told('answer to the backup')
  })
})
