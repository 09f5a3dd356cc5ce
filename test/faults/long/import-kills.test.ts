/**
 * Kills the service at each step of an import. If it dies before the device is staged (stored for the next start), no
 * data of the device may stay. Otherwise, the next start creates the complete instance.
 */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { BufferJSON } from '@whiskeysockets/baileys'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { KEYS, linked } from '../../unit/portability/device.ts'
import { startGround, until } from '../ground.ts'

const PHONE = '5511999990065'
const ANA = '5511988880065'
const PASSPHRASE = 'correct horse battery'

const ground = await startGround()
await ground.sandbox.createContact(ANA)
const instance = await ground.gateway.connected(ground.sandbox, PHONE, ground.receiver)
after(() => ground?.stop())

const url = (path: string) => `${ground.gateway.baseUrl}${path}`
const instances = async () =>
  (await must<{ total: number }>('GET', url('/account/instances'), undefined, ground.gateway.account)).total
const texts = async () => (await ground.sandbox.inbox(ANA, 0, 5_000)).flatMap(({ text }) => text ?? [])

const uploads = async () =>
  (await readdir(join(ground.dataDir, 'tmp'), { recursive: true })).filter((name) => basename(name).startsWith('import-'))

async function movedOut(text: string): Promise<Uint8Array<ArrayBuffer>> {
  await ground.gateway.sendText(instance, ANA, text, { delay_message: 15 })
  const answer = await fetch(url(`/admin/instances/${instance.id}/export`), {
    method: 'POST',
    headers: { ...ground.gateway.admin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'move', passphrase: PASSPHRASE }),
  })
  const archive = new Uint8Array(await answer.arrayBuffer())
  await must('DELETE', url(`/account/instances/${instance.id}`), undefined, ground.gateway.account)
  return archive
}

/**
 * Imports the archive, and resolves with the status of the answer. Undefined if the service was killed before it
 * answered.
 */
const imported = (archive: Uint8Array<ArrayBuffer>): Promise<number | undefined> =>
  fetch(url('/admin/instances/import'), {
    method: 'POST',
    headers: {
      ...ground.gateway.admin,
      'Content-Type': 'application/octet-stream',
      'X-Svc-Passphrase': encodeURIComponent(PASSPHRASE),
    },
    body: archive,
  }).then(
    ({ status }) => status,
    () => undefined,
  )

for (const [step, isStaged] of [
  ['import:received', false],
  ['import:staging', false],
  ['import:staging:100', false],
  ['import:staged', true],
  ['import:key', true],
  ['import:slice', true],
  ['import:taken', true],
] as const)
  test(`killed at ${step}: ${isStaged ? 'the next start has the whole instance' : 'nothing of it stays, and it is imported again'}`, async () => {
    const text = `in the archive at ${step}`
    const archive = await movedOut(text)
    await ground.service.kill()
    await ground.start({ SVC_TEST_KILL_AT: step })
    assert.equal(await imported(archive), undefined, 'the service was killed')
    await ground.start()
    if (!isStaged) {
      assert.equal(await instances(), 0)
      assert.deepEqual(await uploads(), [])
      assert.equal(await imported(archive), 200)
    }
    // The service answers requests before it has created the instances of staged devices, so the test waits.
    await until('the instance', async () => (await instances()) === 1)
    await ground.gateway.waitForStatus(instance, 'connected')
    assert.equal(await imported(archive), 409)
    assert.equal(await instances(), 1)
    await until(text, async () => (await texts()).includes(text))
    assert.equal((await texts()).filter((each) => each === text).length, 1)
  })

const known = new Set<string>()

/**
 * Returns the files of a Baileys device as JSON. The network does not know this device, so its instance ends as
 * `logged_out`.
 */
function filesOfBaileys(): string {
  const files = Object.entries(KEYS).flatMap(([type, values]) =>
    Object.entries(values ?? {}).map(([id, value]) => [`${type}-${id.replaceAll('/', '__').replaceAll(':', '-')}.json`, value]),
  )
  return JSON.stringify({ ...Object.fromEntries(files), 'creds.json': linked() }, BufferJSON.replacer)
}

const importedFiles = (body: string): Promise<{ status: number } | undefined> =>
  fetch(url('/admin/instances/import?from=baileys&stopped=true'), {
    method: 'POST',
    headers: { ...ground.gateway.admin, 'Content-Type': 'application/octet-stream' },
    body,
  }).catch(() => undefined)

for (const [step, isStaged] of [
  ['import:received', false],
  ['import:key', true],
  ['import:slice', true],
  ['import:taken', true],
] as const)
  test(`a device of Baileys, killed at ${step}: ${isStaged ? 'the next start has it, and its file is gone' : 'nothing of it stays'}`, async () => {
    known.add(instance.id)
    const before = await instances()
    const files = filesOfBaileys()
    await ground.service.kill()
    await ground.start({ SVC_TEST_KILL_AT: step })
    assert.equal(await importedFiles(files), undefined, 'the service was killed')
    // The uploaded file contains unencrypted keys, so it must be deleted as soon as the device is staged.
    if (isStaged) assert.deepEqual(await uploads(), [])
    await ground.start()
    if (!isStaged) {
      assert.deepEqual([await instances(), await uploads()], [before, []])
      assert.equal((await importedFiles(files))?.status, 200)
    }
    await until('the instance', async () => (await instances()) === before + 1)
    const { data } = await must<{ data: Instance[] }>('GET', url('/account/instances'), undefined, ground.gateway.account)
    const { id } = data.find((each) => !known.has(each.id))!
    // The network can only refuse a device that logs in. So `logged_out` shows that the instance has logged in with the
    // imported device.
    await until('the first login ends', async () => {
      const shown = await must<Instance>('GET', url(`/account/instances/${id}`), undefined, ground.gateway.account)
      return shown.status === 'logged_out'
    })
    known.add(id)
  })
