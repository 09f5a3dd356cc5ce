import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { importOps, refusalOf, waitingImports } from '../../../src/directory/imports.ts'
import type { DeviceBundle } from '../../../src/domain/device-bundle.ts'
import type { InstanceId } from '../../../src/domain/ids.ts'
import type { Step } from '../../../src/domain/steps.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { signalKey } from '../../../src/storage/signal-key.ts'
import { openService } from '../../contract/http/service.ts'
import { startDirectory } from './started.ts'

const ID = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11'
const OTHER_ID = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c12'
const TOKEN = 'a'.repeat(48)
const KEYS = 450

const bundleOf = (identity: string): DeviceBundle => ({
  identity,
  creds: Buffer.from(JSON.stringify({ v: 1, creds: { signedIdentityKey: { public: { type: 'Buffer', data: identity } } } })),
  keys: Array.from({ length: KEYS }, (_, id) => ['pre-key', String(id), Buffer.from(`key ${id}`)] as const),
})

const service = await openService({ instanceSlots: 1 })
beforeEach(async () => {
  for (const id of service.directory.list(service.workspace, { page: 1, page_size: 100 }).ids) await service.directory.delete(id)
})
after(() => service.close())

const started = (killAt?: Step) => startDirectory(service, { killAt })

const leave = (id = ID, identity = 'AAAA') =>
  service.store.commit({
    ops: importOps(
      service.sealer,
      { id, workspace: service.workspace, name: 'Moved', token: TOKEN, from: 'waha' },
      bundleOf(identity),
    ),
  })

async function under(prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const [key] of service.store.range(prefix)) found.push(key)
  return found
}

async function assertWhole(id = ID) {
  const own = createSealer(service.keyRing.of(id))
  const creds = keys.creds(id)
  assert.deepEqual(own.open(creds, (await service.store.get(creds))!), bundleOf('AAAA').creds)
  for (const [type, keyId, value] of bundleOf('AAAA').keys) {
    const key = signalKey(id, type, keyId, own)
    assert.deepEqual(own.open(key, (await service.store.get(key))!), value, key)
  }
  assert.equal((await under(keys.signals(id))).length, KEYS)
  assert.deepEqual(await under('import:'), [], 'nothing of the import is left')
}

test('a device becomes an instance with its credentials and all of its keys, and takes a slot', async () => {
  await leave()
  const { directory } = await started()
  const taken = await directory.takeImports()
  assert.deepEqual(
    taken.map(({ id }) => id),
    [ID],
  )
  await assertWhole()
  assert.ok(directory.authenticate(ID, TOKEN))
  assert.equal(directory.render(ID as InstanceId, 'https://gw.example').name, 'Moved')
  assert.equal(service.account.workspace(service.workspace).instancesUsed, 1)
  assert.deepEqual(await directory.takeImports(), [], 'and never another one')
  await directory.delete(ID as InstanceId)
})

test('a device that fails does not hide those that became instances before it', async () => {
  await leave()
  const { directory } = await started('import:taken')
  const taken: string[] = []
  await assert.rejects(
    directory.takeImports(({ id }) => void taken.push(id)),
    /killed/,
  )
  assert.deepEqual(taken, [ID])
  await started()
  await directory.delete(ID as InstanceId)
})

for (const step of ['import:key', 'import:slice', 'import:taken'] as const)
  test(`killed at ${step}: the next start makes one whole instance of it`, async () => {
    await leave()
    const first = await started(step)
    await assert.rejects(first.directory.takeImports(), /killed/)
    const { directory, instances } = await started()
    const taken = await directory.takeImports()
    assert.equal(instances.length + taken.length, 1)
    assert.equal(service.account.workspace(service.workspace).instancesUsed, 1)
    if (instances.length === 0) await assertWhole()
    await started()
    await assertWhole()
    await directory.delete(ID as InstanceId)
  })

test('a device that is linked here already, or that has no slot, is refused with the reason, and nothing of it stays', async () => {
  await leave()
  const { directory } = await started()
  await directory.takeImports()
  for (const [identity, says] of [
    ['AAAA', new RegExp(`^Instance ${ID} is already linked as this device\\.$`)],
    ['BBBB', /slots of the plan are in use/],
  ] as const) {
    await leave(OTHER_ID, identity)
    assert.deepEqual(await directory.takeImports(), [])
    assert.match((await refusalOf(service.store, OTHER_ID))!.message, says)
    assert.deepEqual(await waitingImports(service.store, service.sealer), [])
    assert.deepEqual(await under(keys.instance(OTHER_ID)), [])
    assert.throws(() => service.keyRing.of(OTHER_ID), /is missing/)
  }
  await started()
  assert.deepEqual(await under('import:'), [], 'the next start removes the reason')
  await directory.delete(ID as InstanceId)
})
