/**
 * Reads the media of waiting messages that a service has stored, in its data folder or in PostgreSQL (`store-env.ts`).
 */
import { join } from 'node:path'
import type { BlobItems } from '../../src/storage/blobs/items.ts'
import { blobFiles } from '../../src/storage/drivers/blob-files.ts'
import { mountBlobs, openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { storeEnv } from './store-env.ts'

export async function storedMedia(dir: string): Promise<Uint8Array[]> {
  const url = storeEnv(dir).SVC_STORE_URL
  if (url === undefined) return piecesOf(mountBlobs(blobFiles({ dir: join(dir, 'blobs') })))
  const store = await openStore(url, { mustExist: true, isReader: true })
  try {
    return await piecesOf(await openBlobItems({ in: 'store' }, store))
  } finally {
    await store.close()
  }
}

async function piecesOf(items: BlobItems): Promise<Uint8Array[]> {
  const pieces = await Promise.all((await items.getKeys('')).map((name) => items.getItemRaw<Uint8Array>(name)))
  // The service may have removed a piece after it was listed. Such a piece is null, and is left out.
  return pieces.filter((piece) => piece !== null)
}
