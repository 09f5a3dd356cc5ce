/** Tests that each media file that is written during a backup is in the backup completely, or not at all. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
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
