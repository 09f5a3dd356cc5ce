/** Opens what all instances of a thread share, once per life. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { steadyClock, systemClock } from '../../src/domain/clock.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import type { EngineEvent, ShardNeed, ShardSetup } from '../../src/engine/engine.ts'
import { createKillAt } from '../../src/kill-at.ts'
import type { Logger } from '../../src/log.ts'
import { createMediaLinks } from '../../src/media/links.ts'
import { createTally } from '../../src/metrics/tally.ts'
import { openBlobs } from '../../src/storage/blobs.ts'
import { claimsOf, diskState, shareDisk } from '../../src/storage/disk.ts'
import { openStore } from '../../src/storage/open.ts'
import { openWebVersion } from './connection/socket/web-version.ts'
import { createKeyCache } from './keys/key-store.ts'
import { createMediaDesk } from './media/desk.ts'
import type { ShardDeps } from './shard-deps.ts'
import { createDelivery } from './webhooks/delivery.ts'

/** Signal records kept in memory, of all instances of the thread: about 1 KB each, 50 MB at most. */
const CACHED_KEYS = 50_000

export interface OpenShard {
  deps: ShardDeps
  /** What came of a medium the shard asked to be made ready. */
  prepared(id: number, result: unknown): void
  close(): Promise<void>
}

export async function openShard(
  setup: ShardSetup,
  log: Logger,
  announce: (event: EngineEvent) => void,
  ask: (need: ShardNeed) => void,
): Promise<OpenShard> {
  const { disk = shareDisk(setup.shard + 2) } = setup
  const store = await openStore(setup.storeUrl, { claims: claimsOf(disk, setup.shard + 1) })
  const { blobsDir, blobBudgetBytes: budgetBytes, blobsUsed: counter, downloadMs } = setup.media
  const desk = createMediaDesk(ask)
  const tempDir = join(setup.media.tempDir, `shard-${setup.shard}`)
  // What an earlier life of this thread left of files that were being worked on.
  await rm(tempDir, { recursive: true, force: true })
  const egressAllow = parseRanges(setup.egressAllow)
  const delivery = createDelivery({ allow: egressAllow, clock: systemClock })
  return {
    deps: {
      store,
      blinds: new Map(),
      blobs: await openBlobs(blobsDir, { budgetBytes, counter }),
      disk: () => diskState(disk),
      media: { tempDir, downloadMs, prepare: desk.prepare },
      keyCache: createKeyCache({ maxEntries: CACHED_KEYS }),
      network: setup.network,
      egressAllow,
      newsletterInviteQueryId: setup.newsletterInviteQueryId ?? null,
      deliver: delivery.deliver,
      version: await openWebVersion({ store, log, wanted: setup.webVersion ?? null, network: setup.network, allow: egressAllow }),
      mediaLinks: createMediaLinks(setup.linksKey),
      clock: systemClock,
      steady: steadyClock,
      log,
      announce,
      tally: createTally(),
      killAt: createKillAt(setup.killAt),
    },
    prepared: desk.answered,
    async close() {
      await delivery.close()
      await store.close()
    },
  }
}
