import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readInstanceArchive } from '../../../src/archive/instance-archive.ts'
import type { Instance } from '../../harness/gateway.ts'
import { ask, must } from '../../harness/http.ts'
import { linkFolder } from '../../harness/library-folder.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'

const PHONE = '5511999990063'
const OTHER_PHONE = '5511999990064'
const ANA = '5511988880063'
const PASSPHRASE = 'correct horse battery'

describe('an instance is exported and imported over HTTP', { timeout: 240_000 }, () => {
  let world: World
  let dir: string
  let instance: Instance
  /** Archive of the instance, made for a move that was then called off. */
  let moved: Buffer<ArrayBuffer>
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
    return file
  }

  /**
   * Returns the number of records of each family. This takes a second of CPU time for the key of the passphrase, as
   * does each import.
   */
  async function familiesIn(file: string, kind: string): Promise<Map<string, number>> {
    const families = new Map<string, number>()
    const { head } = await readInstanceArchive(file, PASSPHRASE, {
      record(record) {
        const family = record.split(':')[0]!
        families.set(family, (families.get(family) ?? 0) + 1)
      },
      blob() {},
    })
    assert.deepEqual([head.kind, head.id], [kind, instance.id])
    return families
  }

  interface Answer {
    status: number
    body: {
      instance?: Instance | null
      report?: string[]
      error?: { code: string; message: string; details: { issues?: { path: string; message: string }[] } }
    }
  }
  async function importFile(
    query: string,
    file: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`${world.gateway.baseUrl}/admin/instances/import?${query}`, {
      method: 'POST',
      headers: { ...world.gateway.admin, 'Content-Type': 'application/octet-stream', ...headers },
      body: file,
    })
    return { status: answer.status, body: (await answer.json()) as Answer['body'] }
  }
  const withPassphrase = { 'X-Svc-Passphrase': encodeURIComponent(PASSPHRASE) }
  const resume = (id: string) =>
    ask<{ value?: boolean; error: { code: string } }>(
      'POST',
      `${world.gateway.baseUrl}/admin/instances/${id}/resume`,
      undefined,
      world.gateway.admin,
    )
  const instances = async () =>
    (await must<{ total: number }>('GET', `${world.gateway.baseUrl}/account/instances`, undefined, world.gateway.account)).total
  /** Returns the names of the files that were uploaded for imports. After the answer to an import, none may be left. */
  const uploads = async () =>
    (await readdir(join(world.dir, 'tmp'), { recursive: true })).filter((name) => basename(name).startsWith('import-'))
  const texts = async () => (await world.sandbox.inbox(ANA)).map(({ text }) => text)

  test('a backup has the device, and the instance goes on', async () => {
    const families = await familiesIn(await exported('backup', 'backup.age'), 'backup')
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

  test('a move can be repeated after a cut, has the queue, and is not imported where the instance still is', async () => {
    await world.gateway.sendText(instance, ANA, 'waits', { delay_message: 15 })
    const cut = new AbortController()
    await request('move', cut.signal).then(({ body }) => body!.getReader().read())
    cut.abort()
    await world.gateway.waitForStatus(instance, 'stopped')
    const late = await world.gateway.ask(instance, 'POST', '/send-text', { phone: ANA, message: 'late' })
    assert.deepEqual([late.status, (late.body.error as { code: string }).code], [409, 'queue_disabled_while_disconnected'])
    const file = await exported('move', 'move.age')
    const families = await familiesIn(file, 'move')
    assert.equal(families.get('queue'), 1)
    moved = await readFile(file)
    const here = await importFile('', moved, withPassphrase)
    assert.deepEqual([here.status, here.body.error?.code], [409, 'already_linked'])
  })

  test('a move that is called off goes on here, and only then', async () => {
    const resumed = await resume(instance.id)
    assert.deepEqual([resumed.status, resumed.body.value], [200, true], JSON.stringify(resumed.body))
    await world.gateway.waitForStatus(instance, 'connected')
    const again = await resume(instance.id)
    assert.deepEqual([again.status, again.body.error.code], [403, 'not_allowed'])
    await until(texts, (all) => all.includes('waits'))
  })

  test('an archive is refused while its instance is here, with another passphrase, cut, and over plain HTTP from elsewhere', async () => {
    const archive = moved
    const cases = [
      [await importFile('', archive, withPassphrase), 409, 'already_linked'],
      [await importFile('', archive, { 'X-Svc-Passphrase': 'another passphrase' }), 422, 'not_importable'],
      [await importFile('', archive.subarray(0, archive.length - 100), withPassphrase), 422, 'not_importable'],
      [await importFile('', 'no archive', withPassphrase), 422, 'not_importable'],
      [await importFile('', archive), 400, 'invalid_request'],
      [await importFile(`passphrase=${encodeURIComponent(PASSPHRASE)}`, archive), 400, 'invalid_request'],
      [await importFile('', archive, { ...withPassphrase, 'X-Forwarded-For': '203.0.113.9' }), 403, 'not_allowed'],
      [await importFile('', archive, { ...withPassphrase, 'Content-Type': 'application/json' }), 400, 'invalid_request'],
      [await importFile('', new Uint8Array(64 * 1_048_576 + 1), withPassphrase), 400, 'invalid_request'],
    ] as const
    for (const [answer, status, code] of cases)
      assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
    assert.equal(cases[1][0].body.error?.message, 'The passphrase is not that of this archive.')
    assert.match(cases[2][0].body.error?.details.issues?.[0]?.message ?? '', /damaged or not complete/)
    assert.equal(cases[5][0].body.error?.details.issues?.[0]?.path, 'X-Svc-Passphrase')
    assert.match(cases[8][0].body.error?.details.issues?.[0]?.message ?? '', /at most 64 MB/)
    assert.deepEqual([await instances(), await uploads()], [1, []])
    assert.equal((await world.gateway.status(instance)).status, 'connected')
  })

  test('an archive is imported as a whole, after a dry run that changes nothing', async () => {
    await world.gateway.sendText(instance, ANA, 'in the archive', { delay_message: 15 })
    const archive = await readFile(await exported('move', 'last.age'))
    await must('DELETE', `${world.gateway.baseUrl}/account/instances/${instance.id}`, undefined, world.gateway.account)
    const dry = await importFile('dry_run=true', archive, withPassphrase)
    assert.deepEqual([dry.status, dry.body.instance, await instances()], [200, null, 0], JSON.stringify(dry.body))
    assert.match(dry.body.report!.join(' '), /^The archive has \d+ records and 0 media files, as of /)
    // Two imports of the same archive run at the same time. Only one of them may create an instance.
    const both = await Promise.all([importFile('name=Moved', archive, withPassphrase), importFile('', archive, withPassphrase)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], JSON.stringify(both))
    const made = both.find(({ status }) => status === 200)!.body.instance!
    assert.deepEqual([made.id, made.token], [instance.id, instance.token])
    await world.gateway.waitForStatus(instance, 'connected')
    await until(texts, (all) => all.includes('in the archive'))
    for (const text of ['waits', 'in the archive']) assert.equal((await texts()).filter((each) => each === text).length, 1, text)
    assert.deepEqual([await instances(), await uploads()], [1, []])
  })

  test('the files of a device of Baileys are imported, and only when it is confirmed that its program is stopped', async () => {
    const folder = join(dir, 'auth')
    const library = await linkFolder(world, world.sandbox, OTHER_PHONE, folder)
    await library.stop()
    const names = await readdir(folder)
    const files = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
    )
    const running = await importFile('from=baileys', JSON.stringify(files))
    assert.deepEqual([running.status, running.body.error?.details.issues?.[0]?.path], [400, 'stopped'])
    const half = await importFile('from=baileys&dry_run=true', JSON.stringify({ 'pre-key-1.json': {} }))
    assert.deepEqual([half.status, half.body.error?.code], [422, 'not_importable'])
    const dry = await importFile('from=baileys&dry_run=true', JSON.stringify(files))
    assert.match(dry.body.report!.join('\n'), /^(\d+) one-time keys: \1 taken\.$/m)
    assert.equal(await instances(), 1)
    const made = await importFile('from=baileys&stopped=true&name=From+Baileys', JSON.stringify(files))
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const device = made.body.instance as Instance & { name: string; imported_from: string }
    assert.deepEqual([device.name, device.imported_from], ['From Baileys', 'baileys'])
    await world.gateway.waitForStatus(device, 'connected')
    await world.gateway.sendText(device, ANA, 'from the imported device')
    await until(texts, (all) => all.includes('from the imported device'))
    const again = await importFile('from=baileys&stopped=true', JSON.stringify(files))
    assert.deepEqual([again.status, again.body.error?.code], [409, 'already_linked'])
  })

  test('an instance that is not linked is refused', async () => {
    instance = await world.gateway.createInstance(null)
    const answer = await request('move')
    assert.deepEqual([answer.status, ((await answer.json()) as { error: { code: string } }).error.code], [403, 'not_allowed'])
  })
})
