/** Tests what a backup contains of files that are written while it is made. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeBackup } from '../../../src/storage/backup.ts'
import { sealedBlobs } from '../../../src/storage/blobs/items.ts'
import { PIECE, pieceNames } from '../../../src/storage/blobs/pieces.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import { SEAL_BYTES } from '../../../src/storage/sealer.ts'
import { tempDir } from './fixtures.ts'

test('media that become whole during a backup are whole in it, and unfinished ones are not in it', async (t) => {
  const dir = await tempDir(t)
  const [blobsDir, keysDir, target] = [join(dir, 'blobs'), join(dir, 'keys'), join(dir, 'copy')]
  await mkdir(keysDir)
  const items = mountBlobs(blobFiles({ dir: blobsDir }))
  const sealed = [randomBytes(PIECE + SEAL_BYTES), randomBytes(1_000)]
  const [first, last] = pieceNames('owner:growing', PIECE + 1_000 - SEAL_BYTES) as [string, string]
  await items.setItemRaw(first, sealed[0]!)
  await items.setItemRaw(pieceNames('owner:cut', PIECE + 1)[0]!, sealed[0]!)
  const files = await makeBackup(target, {
    copyTo: async () => void (await items.setItemRaw(last, sealed[1]!)),
    keysDir,
    blobsDir,
  })
  assert.equal(files, 1)
  assert.deepEqual(await readdir(join(target, 'blobs', 'owner')), ['growing'])
  const copied: [string, Uint8Array][] = []
  for await (const each of sealedBlobs(mountBlobs(blobFiles({ dir: join(target, 'blobs') })), 'owner')) copied.push(each)
  assert.deepEqual(copied, [['growing', Buffer.concat(sealed)]])
})

test('a key file that is sealed again during a backup is in it as it is at the end', async (t) => {
  const dir = await tempDir(t)
  const [keysDir, keyFile, target] = [join(dir, 'keys'), join(dir, 'secret-key'), join(dir, 'copy')]
  await mkdir(keysDir)
  await writeFile(keyFile, 'secret')
  await writeFile(join(keysDir, 'one'), 'before')
  const copyTo = () => writeFile(join(keysDir, 'one'), 'behind')
  await makeBackup(target, { copyTo, keysDir, blobsDir: null, keyFile })
  assert.equal(await readFile(join(target, 'state', 'keys', 'one'), 'utf8'), 'behind')
  assert.equal(await readFile(join(target, 'secret-key'), 'utf8'), 'secret')
})

test('a backup fails if the secret key is replaced while it is made, and leaves nothing', async (t) => {
  const dir = await tempDir(t)
  const [keysDir, keyFile, target] = [join(dir, 'keys'), join(dir, 'secret-key'), join(dir, 'copy')]
  await mkdir(keysDir)
  await writeFile(keyFile, 'secret')
  const copyTo = () => writeFile(keyFile, 'other')
  await assert.rejects(makeBackup(target, { copyTo, keysDir, blobsDir: null, keyFile }), /replaced during the backup/)
  assert.deepEqual((await readdir(dir)).sort(), ['keys', 'secret-key'])
})
