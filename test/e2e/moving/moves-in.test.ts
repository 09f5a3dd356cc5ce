/**
 * Imports a folder that the real library has written, with the real command, beside a running service. The full run
 * repeats this with the files of every other supported program.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCommand } from '../../harness/cli.ts'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { linkFolder, openFolder, readWholeFolder } from '../../harness/library-folder.ts'
import { evolutionHash, evolutionRow, fazerHash, type LibraryDevice, openwaRows, wahaRows } from '../../harness/library-stores.ts'
import { printedRows, whatsmeowTables, zapoTables } from '../../harness/other-stores.ts'
import { readByDevices } from '../../harness/read-by-devices.ts'
import { cliSample } from '../../harness/samples.ts'
import type { InboxItem } from '../../harness/sandbox.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'
import { isReady, jidOf, received } from '../../simulator/client.ts'

const PAGE = 'docs/moving.md'
const PHONE = '5511999990091'
const [ANA, BIA, CAIO] = ['5511988880091', '5511988880092', '5511988880093'] as const

const SALT = Buffer.alloc(32, 1)
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/**
 * For each program, a function that prints the device as the client of the program's database prints it. Undefined for
 * Baileys, which uses a folder and no database.
 */
const STORES: Readonly<Record<string, ((device: LibraryDevice) => string) | undefined>> = {
  baileys: undefined,
  whatsmeow: (device) => printedRows(whatsmeowTables(device, SALT)),
  zapo: (device) => printedRows(zapoTables(device, SALT)),
  evolution: (device) => lines([evolutionRow(device, 'c0'), evolutionHash(device)]),
  fazer: (device) => lines([fazerHash(device)]),
  openwa: (device) => lines(openwaRows(device, 'support')),
  waha: (device) => lines(wahaRows(device, 'support').map((row) => ({ ...row, value: JSON.parse(row.value) as unknown }))),
}

async function storedAs(source: string, folder: string): Promise<string> {
  const print = STORES[source]
  if (!print) return folder
  const file = join(folder, '..', 'rows.jsonl')
  await writeFile(file, print(await readWholeFolder(folder)))
  return file
}

const sources = process.env.SVC_TEST_FULL ? Object.keys(STORES) : ['baileys']

for (const source of sources)
  describe(`a device of ${source} moves in`, { timeout: 480_000 }, () => {
    let world: World
    let dir: string
    let folder: string
    let stored: string
    let group: string
    let instance: Instance
    let retries: string

    const cli = (...args: string[]) => runCommand(world.dir, ...args)
    const importStored = (path: string, ...more: string[]) => cli('instance', 'import', '--from', source, path, ...more)
    const said = (what: string) =>
      world.receiver.waitFor(
        what,
        ({ type, text: body }) => type === 'received' && (body as { message?: string })?.message === what,
      )
    async function gotBy(phone: string, what: string) {
      const found = (items: InboxItem[]) => items.find(({ text: body }) => body === what)
      return found(
        await until(
          () => world.sandbox.inbox(phone),
          (items) => found(items) !== undefined,
        ),
      )!
    }
    const instances = async () =>
      (await must<{ total: number }>('GET', `${world.gateway.baseUrl}/account/instances`, undefined, world.gateway.account)).total

    before(async () => {
      world = await startWorld({ untraced: true, own: true })
      dir = await mkdtemp(join(tmpdir(), 'svc-moving-'))
      folder = join(dir, 'auth')
      const { sandbox, gateway, receiver } = world
      for (const phone of [ANA, BIA, CAIO]) await sandbox.createContact(phone, { devices: 2 })
      await must('PUT', `${gateway.baseUrl}/account/webhooks`, { single_url: receiver.url }, gateway.account)
      const library = await linkFolder(world, sandbox, PHONE, folder)
      const { client } = library
      group = (await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BIA, PHONE] })).id
      // In the private chats Ana has sent and received messages, Bia has only received one, and Caio has only sent one.
      await sandbox.send(ANA, PHONE, { text: 'hello from Ana' })
      await received(client, 'hello from Ana')
      await client.socket.sendMessage(jidOf(ANA), { text: 'hello Ana' })
      await gotBy(ANA, 'hello Ana')
      await client.socket.sendMessage(jidOf(BIA), { text: 'hello Bia' })
      await gotBy(BIA, 'hello Bia')
      await sandbox.send(CAIO, PHONE, { text: 'hello from Caio' })
      await received(client, 'hello from Caio')
      await sandbox.send(ANA, group, { text: 'hello group' })
      await received(client, 'hello group')
      await client.socket.sendMessage(group, { text: 'hello all' })
      await gotBy(BIA, 'hello all')
      await until(sandbox.pending, (count) => count === 0)
      await library.stop()
      stored = await storedAs(source, folder)
      const { id } = await sandbox.post<{ id: string }>('/expect', {
        match: { from: 'client', account: PHONE, tag: 'receipt', type: 'retry' },
        count: 1,
        wait_ms: 0,
      })
      retries = id
    })
    after(async () => {
      await world.stop()
      await rm(dir, { recursive: true, force: true })
    })

    test('what was written a moment ago, or does not say when, is refused, and nothing is made', async () => {
      const refused = await importStored(stored)
      assert.equal(refused.code, 1)
      assert.match(
        refused.errors,
        /may still be running\. Stop it\. If it is already stopped, add --stopped\.|Stop that program, then add --stopped\./,
      )
      assert.equal(await instances(), 0)
    })

    test('a dry run reports by category in sentences, and changes nothing', async () => {
      const dry = await cli(...cliSample(PAGE, 'auth --dry-run', { baileys: source, '/path/to/auth': stored }), '--stopped')
      assert.equal(dry.code, 0, dry.errors)
      assert.match(dry.out, /^(\d+) sessions with devices: \1 taken(, \1 converted)?\.$/m)
      assert.match(dry.out, /^(\d+) one-time keys: \1 taken\.$/m)
      assert.match(dry.out, /^Nothing was written\.$/m)
      for (const secret of [PHONE, ANA, BIA, CAIO]) assert.ok(!dry.out.includes(secret), 'the report names nobody')
      assert.equal(await instances(), 0)
    })

    test('what waited during the move arrives, every device reads what is sent, and nothing is asked for again', async (t) => {
      const { sandbox, gateway, receiver } = world
      await sandbox.send(ANA, PHONE, { text: 'waiting from Ana' })
      await sandbox.send(BIA, PHONE, { text: 'waiting from Bia' })
      await sandbox.send(CAIO, PHONE, { text: 'waiting from Caio' })
      await sandbox.send(ANA, group, { text: 'waiting in the group' })

      const moved = await cli(...cliSample(PAGE, '--name Support', { baileys: source, '/path/to/auth': stored }), '--stopped')
      assert.equal(moved.code, 0, moved.errors)
      assert.match(moved.out, /^The instance is connected\.$/m, moved.errors)
      const [, id = ''] = /^Instance: (\S+)$/m.exec(moved.out) ?? []
      const [, token = ''] = /^Token: {4}(\S+)$/m.exec(moved.out) ?? []
      instance = {
        id,
        token,
        api_url: `${gateway.baseUrl}/instances/${id}/token/${token}`,
        status: 'connected',
        webhooks: { secret: '' },
      }
      const shown = await must<Instance>('GET', `${gateway.baseUrl}/account/instances/${id}`, undefined, gateway.account)
      receiver.trust(id, shown.webhooks.secret)
      assert.equal((shown as Instance & { imported_from: string }).imported_from, source)
      for (const who of ['Ana', 'Bia', 'Caio']) await said(`waiting from ${who}`)
      await said('waiting in the group')

      let readers = 0
      for (const phone of [ANA, BIA, CAIO]) {
        await gateway.sendText(instance, phone, `from here to ${phone}`, { delay_message: 1 })
        const { id } = await gotBy(phone, `from here to ${phone}`)
        readers += (await readByDevices(sandbox, phone, id, 2)) + (await readByDevices(sandbox, PHONE, id, 1))
      }
      await gateway.sendText(instance, `${group.split('@')[0]}-group`, 'from here to all', { delay_message: 1 })
      const { id: toAll } = await gotBy(ANA, 'from here to all')
      for (const phone of [ANA, BIA]) readers += await readByDevices(sandbox, phone, toAll, 2)
      readers += await readByDevices(sandbox, PHONE, toAll, 1)
      await sandbox.send(BIA, PHONE, { text: 'answer from Bia' })
      await sandbox.send(BIA, group, { text: 'answer in the group' })
      await said('answer from Bia')
      await said('answer in the group')
      const { items } = await sandbox.get<{ items: unknown[] }>(`/expect/${retries}?wait_ms=0`)
      assert.deepEqual(items, [], 'messages asked for again')
      t.diagnostic(`${source}: 4 of 4 waiting messages arrived, 0 asked for again, 4 sends read by all ${readers} devices`)
    })

    test('the same device is not brought in twice', async () => {
      const again = await importStored(stored, '--stopped')
      assert.equal(again.code, 1)
      assert.match(again.errors, new RegExp(`Instance ${instance.id} is already linked as this device\\.`))
      assert.equal(await instances(), 1)
    })

    test('the program that it came from is started again and takes the connection: the status says what to do', async () => {
      const back = await openFolder(world, folder)
      await isReady(back.client)
      const { error } = await until(
        async () => (await world.gateway.must(instance, 'GET', '/status')) as { status: string; error: string },
        ({ status }) => status === 'stopped',
      )
      assert.match(
        error,
        /^The program that this device was imported from has probably opened the session again; stop it, delete this/,
      )
      await back.stop()
      await world.gateway.must(instance, 'POST', '/restart')
      await world.gateway.waitForStatus(instance, 'connected')
    })

    test('a restart of the service changes nothing', async () => {
      await world.restartService()
      await world.gateway.waitForStatus(instance, 'connected')
      await world.sandbox.send(ANA, PHONE, { text: 'after the restart' })
      await said('after the restart')
    })

    test('a device that the phone removes while it moves is not connected anywhere, and the command says so', async () => {
      const out = join(dir, 'out')
      const exported = await cli('instance', 'export', instance.id, out, '--to', 'baileys')
      assert.equal(exported.code, 0, exported.errors)
      await world.sandbox.unlink(PHONE)
      await must('DELETE', `${world.gateway.baseUrl}/account/instances/${instance.id}`, undefined, world.gateway.account)
      const moved = await cli('instance', 'import', '--from', 'baileys', out, '--stopped')
      assert.match(
        moved.out,
        /^The network has removed this device from the account, so it cannot be moved\. Pair the instance/m,
        moved.errors,
      )
      const [, id = ''] = /^Instance: (\S+)$/m.exec(moved.out) ?? []
      const url = `${world.gateway.baseUrl}/account/instances/${id}`
      const { status } = await must<{ status: string }>('GET', url, undefined, world.gateway.account)
      assert.equal(status, 'logged_out')
    })
  })
