import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import { threadFlags } from '../../../src/engine/thread.ts'
import { measureBlobs, putSealedBlob } from '../../../src/storage/blobs/items.ts'
import { PIECE } from '../../../src/storage/blobs/pieces.ts'
import { openBlobs } from '../../../src/storage/blobs.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { copyMedia } from '../../../src/storage/moving/media-copy.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { settleStaged, stagedOwner } from '../../../src/storage/staged-blobs.ts'
import { sameKind } from '../../harness/checkout.ts'
import { INSTANCE, sealer, tempDir } from './fixtures.ts'

// An earlier bug: if a shard ended during a write, the bytes that it had written counted as used space until the
// process was restarted.
test('what a thread was writing when it was ended counts as what it left behind, and nothing once that is removed', async (t) => {
  const dir = await tempDir(t)
  const counter = new BigInt64Array(new SharedArrayBuffer(8))
  const module = sameKind('./blob-writer', import.meta.url)
  const bytes = 256 * PIECE
  const writer = new Worker(module, {
    execArgv: threadFlags(module),
    workerData: { dir, counter, key: 'i:1', bytes },
  })
  while (Atomics.load(counter, 0) === 0n) await nextTurn()
  await writer.terminate()
  const items = mountBlobs(blobFiles({ dir }))
  const blobs = (await openBlobs(items, { budgetBytes: bytes, counter })).of(sealer)
  assert.deepEqual(await blobs.list('i:'), ['i:1'])
  assert.equal(blobs.used(), await measureBlobs(items))
  await blobs.remove('i:1')
  assert.equal(blobs.used(), 0)
})

test('a file of an earlier release is read, whose pieces are one behind the other', async (t) => {
  const dir = await tempDir(t)
  const bytes = randomBytes(PIECE + 100)
  const pieces = [bytes.subarray(0, PIECE), bytes.subarray(PIECE)].map((each, index) => sealer.seal(`i:1#${index}/2`, each))
  await mkdir(join(dir, 'i'))
  await writeFile(join(dir, 'i', '1'), Buffer.concat(pieces))
  const blobs = (await openBlobs(mountBlobs(blobFiles({ dir })), { budgetBytes: 10 * PIECE })).of(sealer)
  assert.equal(blobs.used(), pieces[0]!.length + pieces[1]!.length)
  assert.deepEqual(await blobs.get('i:1'), bytes)
})

test('a copy that goes on after a kill finishes the file whose bytes were all written, but not flushed', async (t) => {
  const [from, to] = [await tempDir(t), await tempDir(t)]
  const bytes = sealer.seal('i:1#0/1', randomBytes(100))
  for (const file of [join(from, 'i', '1'), join(to, 'i', '1.tmp')]) {
    await mkdir(dirname(file))
    await writeFile(file, bytes)
  }
  const copy = () => copyMedia(mountBlobs(blobFiles({ dir: from })), mountBlobs(blobFiles({ dir: to })), () => {})
  assert.deepEqual(await copy(), { media: 1, changes: 1 })
  assert.deepEqual(await readdir(join(to, 'i')), ['1'])
  assert.deepEqual(await readFile(join(to, 'i', '1')), bytes)
  assert.deepEqual(await copy(), { media: 1, changes: 0 })
})

test('with an instance its files go, and the folder they were in', async (t) => {
  const dir = await tempDir(t)
  const other = `${INSTANCE.slice(0, -1)}0`
  const blobs = await openBlobs(mountBlobs(blobFiles({ dir })), { budgetBytes: 100_000 })
  await blobs.of(sealer).put(keys.blob(INSTANCE, 'one'), Buffer.alloc(100))
  await blobs.of(sealer).put(keys.blob(other, 'one'), Buffer.alloc(100))
  await blobs.erase(INSTANCE)
  assert.deepEqual(await readdir(dir), [other])
})

test('what is in the folder besides is no media, and a folder that cannot be made is a failure of the disk', async (t) => {
  const dir = await tempDir(t)
  await writeFile(join(dir, '.DS_Store'), 'x')
  await writeFile(join(dir, 'file'), 'x')
  const blobs = (await openBlobs(mountBlobs(blobFiles({ dir })), { budgetBytes: 100_000 })).of(sealer)
  assert.equal(blobs.used(), 0)
  await assert.rejects(blobs.put('file:1', Buffer.alloc(100)), isStorageFailure)
  assert.equal(blobs.used(), 0)
})

test('what a kill left of media that were being staged is removed at the next start, and what waits stays', async (t) => {
  const dir = await tempDir(t)
  const items = mountBlobs(blobFiles({ dir }))
  const staged = stagedOwner(INSTANCE)
  await putSealedBlob(items, `${staged}:item`, Buffer.alloc(5_000, 3))
  assert.deepEqual(await readdir(dir), [staged], 'no draft is left')
  const draft = join(dir, `${staged}-0123456789ab`, 'item.tmp')
  await mkdir(dirname(draft))
  await writeFile(draft, 'half')
  await settleStaged(items, (instance) => instance === INSTANCE)
  assert.deepEqual(await readdir(dir), [staged])
  await settleStaged(items, () => false)
  assert.deepEqual(await readdir(dir), [])
})
