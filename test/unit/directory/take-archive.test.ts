import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { refusalOf, stageArchive } from '../../../src/directory/imports.ts'
import type { InstanceId } from '../../../src/domain/ids.ts'
import { DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import type { Step } from '../../../src/domain/steps.ts'
import { putSealedBlob } from '../../../src/storage/blobs/items.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer, RING_KEY_BYTES } from '../../../src/storage/sealer.ts'
import { importedMediaIn, stagedOwner } from '../../../src/storage/staged-blobs.ts'
import { openService } from '../../contract/http/service.ts'
import { startDirectory } from './started.ts'

const ID = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c21'
const TOKEN = 'b'.repeat(48)
const RING_KEY = Buffer.alloc(RING_KEY_BYTES, 9)
const RECORDS = Array.from({ length: 450 }, (_, index) => [`timeline:00001:${index}`, Buffer.from(`record ${index}`)] as const)
const MEDIA = Buffer.alloc(5_000, 3)

let blobs: string
let counter: BigInt64Array
const service = await openService({ instanceSlots: 1 })
beforeEach(async () => {
  blobs = await mkdtemp(join(tmpdir(), 'svc-blobs-'))
  counter = new BigInt64Array(1)
})
after(() => service.close())

function sealedCreds(): Buffer {
  const creds = { v: 1, creds: { signedIdentityKey: { public: { type: 'Buffer', data: 'AAAA' } } } }
  return createSealer(RING_KEY).seal(keys.creds(ID), Buffer.from(JSON.stringify(creds)))
}

const config = () =>
  JSON.stringify({
    v: 1,
    id: ID,
    workspace: 'of another server',
    name: 'Old name',
    token: 'old',
    settings: { ...DEFAULT_SETTINGS, auto_read_message: true },
    webhooks: service.account.workspace(service.workspace).webhooks,
    createdAt: 5,
    updatedAt: 6,
  })

async function stage({ isHandedOver = true, made = 1 } = {}) {
  const staged = stageArchive(service.store, service.sealer, { id: ID, made })
  for (const [name, value] of RECORDS) await staged.add(name, value)
  await putSealedBlob(mountBlobs(blobFiles({ dir: blobs })), `${stagedOwner(ID)}:item`, MEDIA)
  const archive = { config: config(), ringKey: RING_KEY.toString('base64') }
  const about = { workspace: service.workspace, name: 'Moved', token: TOKEN, identity: 'AAAA', archive }
  const ops = await staged.ops(about, sealedCreds())
  if (isHandedOver) await service.store.commit({ ops })
}

const started = (killAt?: Step) =>
  startDirectory(service, {
    killAt,
    blobs: mountBlobs(blobFiles({ dir: blobs })),
    importedMedia: importedMediaIn(mountBlobs(blobFiles({ dir: blobs })), counter),
  })

async function under(prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const [key] of service.store.range(prefix)) found.push(key)
  return found
}

async function assertWhole() {
  const { store, keyRing } = service
  assert.deepEqual(Buffer.from(keyRing.of(ID)), RING_KEY)
  for (const [name, value] of RECORDS) assert.deepEqual(Buffer.from((await store.get(keys.instance(ID) + name))!), value, name)
  assert.equal((await under(keys.instance(ID))).length, RECORDS.length + 1)
  createSealer(RING_KEY).open(keys.creds(ID), (await store.get(keys.creds(ID)))!)
  assert.deepEqual(await under('import:'), [])
  assert.deepEqual(await readdir(blobs), [ID])
  assert.deepEqual(await readFile(join(blobs, ID, 'item')), MEDIA)
}

test('an archived instance keeps its key, its settings and its records, and takes the workspace and the name of the target', async () => {
  await stage()
  const { directory } = await started()
  const [taken] = await directory.takeImports()
  assert.equal(taken?.settings.auto_read_message, true)
  await assertWhole()
  assert.equal(Number(counter[0]), MEDIA.length, 'its media counts against the budget')
  assert.ok(directory.authenticate(ID, TOKEN))
  assert.equal(service.account.workspace(service.workspace).instancesUsed, 1)
  await directory.delete(ID as InstanceId)
})

for (const step of ['import:key', 'import:slice', 'import:taken'] as const)
  test(`killed at ${step}: the next start makes one whole instance of it, with its media`, async () => {
    await stage()
    const first = await started(step)
    await assert.rejects(first.directory.takeImports(), /killed/)
    const { directory, instances } = await started()
    const taken = await directory.takeImports()
    assert.equal(instances.length + taken.length, 1)
    await started()
    await assertWhole()
    assert.equal(service.account.workspace(service.workspace).instancesUsed, 1)
    await directory.delete(ID as InstanceId)
  })

test('a command that was killed while it staged leaves nothing', async () => {
  await stage({ isHandedOver: false })
  const { directory } = await started()
  assert.deepEqual(await directory.takeImports(), [])
  assert.deepEqual(await under('import:'), [])
  assert.deepEqual(await readdir(blobs), [])
  await rm(blobs, { recursive: true })
})

test('a second import of an archive that was killed while it staged changes nothing, and the service starts', async () => {
  await stage()
  await (await started()).directory.takeImports()
  await stage({ isHandedOver: false })
  const { directory } = await started()
  await assertWhole()
  await directory.delete(ID as InstanceId)
})

test('an archive whose slices another service has overwritten becomes no instance', async () => {
  await stage()
  await stage({ isHandedOver: false, made: 2 })
  const { directory } = await started()
  assert.deepEqual(await directory.takeImports(), [])
  const { code, message } = (await refusalOf(service.store, ID))!
  assert.deepEqual([code, message.split(';')[0]], ['not_allowed', 'Two archives of this instance were imported at the same time'])
  assert.deepEqual(await under(keys.instance(ID)), [])
})

test('an archive that two services stage at the same time becomes one whole instance', async () => {
  await stage()
  await stage({ isHandedOver: false })
  const { directory } = await started()
  assert.equal((await directory.takeImports()).length, 1)
  await assertWhole()
  await directory.delete(ID as InstanceId)
})

test('an archive for which there is no slot is refused, and its media go', async () => {
  const { directory } = await started()
  const held = await directory.create(service.workspace, { name: 'held' })
  await stage()
  assert.deepEqual(await directory.takeImports(), [])
  assert.equal((await refusalOf(service.store, ID))!.code, 'instance_limit_reached')
  assert.deepEqual([await readdir(blobs), Number(counter[0])], [[], 0])
  await directory.delete(held)
})

test('an import whose first slices a start has removed is refused as a whole', async () => {
  await stage()
  const [first] = await under(keys.importSlices(ID))
  await service.store.commit({ ops: [[first!, null]] })
  const { directory } = await started()
  assert.deepEqual(await directory.takeImports(), [])
  assert.deepEqual(await under(keys.instance(ID)), [])
})

for (const [linkage, change] of [
  ['linked', undefined],
  ['not linked any more', [keys.creds(ID), null]],
] as const)
  test(`an archive of an instance that is here already, ${linkage}, is refused, and that instance keeps its records, its key and its media`, async () => {
    await stage()
    const { directory } = await started()
    await directory.takeImports()
    if (change) await service.store.commit({ ops: [change] })
    const records = await under(keys.instance(ID))
    await stage()
    assert.deepEqual(await directory.takeImports(), [])
    assert.match(
      (await refusalOf(service.store, ID))!.message,
      new RegExp(`^Instance ${ID} (is already linked|exists here already)`),
    )
    assert.equal((await refusalOf(service.store, ID))!.code, 'already_linked')
    assert.deepEqual(await under(keys.instance(ID)), records)
    assert.deepEqual(Buffer.from(service.keyRing.of(ID)), RING_KEY)
    assert.deepEqual(await readdir(blobs), [ID])
    assert.ok(directory.authenticate(ID, TOKEN))
    await started()
    assert.deepEqual(await under('import:'), [])
    await directory.delete(ID as InstanceId)
  })
