/**
 * Opens the directory of instances as a starting service does, on the store of an earlier run. It first deletes what a
 * killed run has left behind.
 */
import { createInstanceDirectory, type DirectoryDeps } from '../../../src/directory/instance-directory.ts'
import type { Step } from '../../../src/domain/steps.ts'
import type { BlobItems } from '../../../src/storage/blobs/items.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { eraseLeftovers } from '../../../src/storage/erase.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import type { Service } from '../../contract/http/service.ts'

interface Start extends Pick<DirectoryDeps, 'importedMedia'> {
  blobs?: BlobItems
  killAt?: Step | undefined
}

export async function startDirectory(
  service: Service,
  { killAt, blobs = mountBlobs(blobFiles({ dir: '/nonexistent' })), ...more }: Start,
) {
  const { store, main, sealer, keyRing, account, oauth, clock, log } = service
  await eraseLeftovers({ store, keyRing, blobs, log })
  const directory = createInstanceDirectory({
    ...more,
    store,
    main,
    sealer,
    keyRing,
    account,
    oauth,
    engine: service.double.engine,
    clock,
    log,
    checkUrl: () => undefined,
    checkProxy: () => undefined,
    steps(step) {
      if (step === killAt) throw new Error('killed')
    },
  })
  return { directory, instances: await directory.load() }
}
