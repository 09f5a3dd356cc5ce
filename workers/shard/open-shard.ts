import { rm } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { createBoundedClock } from '../../src/domain/bounded-clock.ts'
import { SECOND, steadyClock, systemClock } from '../../src/domain/clock.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import type { EngineEvent, ShardNeed, ShardSetup } from '../../src/engine/engine.ts'
import { createKillAt } from '../../src/kill-at.ts'
import { createLoopShare } from '../../src/lib/loop-share.ts'
import type { Logger } from '../../src/log.ts'
import { createMediaLinks, linkLife } from '../../src/media/media-links.ts'
import { createTally } from '../../src/metrics/tally.ts'
import { openBlobs } from '../../src/storage/blobs.ts'
import { claimsOf, diskState, noteCommit, shareDisk, threadOf } from '../../src/storage/disk.ts'
import { endWithStore } from '../../src/storage/end-now.ts'
import { openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { createBlindCaches } from '../../src/storage/sealer.ts'
import { isLeaseHeld, shareLease } from '../../src/storage/shared-lease.ts'
import { createDelivery } from '../../src/webhooks/delivery/delivery.ts'
import { createUnknownStanzas } from './connection/socket/unknown-stanzas.ts'
import { openWebVersion } from './connection/socket/web-version.ts'
import { createKeyCache } from './keys/key-store.ts'
import { createNetworkReturn } from './lifecycle/network-return.ts'
import { createMediaPreparation } from './media/media-preparation.ts'
import type { ShardDeps } from './shard-deps.ts'
import { createWorkMeter } from './usage/work-meter.ts'
import { MAX_WAITING } from './webhooks/schedule.ts'

/** Maximum number of cached Signal records of the thread. Each has about 1 KB, so all of them need about 50 MB. */
const CACHED_KEYS = 50_000
/**
 * Limits for decryption per turn of the event loop: ms, and a minimum number of messages. HTTP answers wait for the end
 * of the turn, so the time is short.
 */
const OPENING = { ms: 4, least: 4 }
/** Limit in ms per turn for sessions that end or begin, of which there are as many as instances after a cut. */
const SESSIONS = { ms: 4 }

export interface OpenShard {
  deps: ShardDeps
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
  const store = await openStore(setup.storeUrl, {
    claims: claimsOf(disk, threadOf(setup.shard)),
    onCommit: noteCommit(disk),
    onOver: endWithStore(log),
  })
  const { blobs, blobBudgetBytes: budgetBytes, blobsUsed: counter, downloadMs } = setup.media
  const preparation = createMediaPreparation(ask)
  const tempDir = join(setup.media.tempDir, `shard-${setup.shard}`)
  await rm(tempDir, { recursive: true, force: true })
  const egressAllow = parseRanges(setup.egressAllow)
  const tally = createTally()
  const clock = createBoundedClock({
    wall: systemClock,
    steady: steadyClock,
    uptime: () => Math.round(uptime() * SECOND),
    onChange(aheadMs) {
      if (aheadMs > 0) log.warn({ ahead_ms: aheadMs }, 'the system clock jumped ahead; the service does not follow it yet')
      else log.info({}, 'the service follows the system clock again')
    },
  })
  const { lease = shareLease() } = setup
  const isHeld = () => isLeaseHeld(lease)
  const delivery = createDelivery({ allow: egressAllow, clock, concurrency: setup.webhookConcurrency, isHeld })
  return {
    deps: {
      store,
      blinds: createBlindCaches(),
      blobs: await openBlobs(await openBlobItems(blobs, store), { budgetBytes, counter }),
      disk: () => diskState(disk),
      media: { tempDir, downloadMs, prepare: preparation.prepare },
      keyCache: createKeyCache({ maxEntries: CACHED_KEYS }),
      recentTotal: { messages: 0, instances: 0 },
      openingShare: createLoopShare(OPENING),
      sessionShare: createLoopShare(SESSIONS),
      networkReturn: createNetworkReturn(steadyClock, setup.startsPerSecond),
      network: setup.network,
      egressAllow,
      mexIds: setup.newsletterInviteQueryId ? { CreateNewsletterAdminInvite: setup.newsletterInviteQueryId } : {},
      isHeld,
      deliver: delivery.deliver,
      outboxMax: setup.outboxMax ?? MAX_WAITING,
      version: await openWebVersion({ store, log, wanted: setup.webVersion ?? null, network: setup.network, allow: egressAllow }),
      mediaLinks: createMediaLinks(setup.linksKey, linkLife(setup.mediaDays ?? null)),
      copiesMedia: setup.mediaDays != null,
      clock,
      steady: steadyClock,
      log,
      announce,
      tally,
      meter: createWorkMeter(),
      countUnknown: createUnknownStanzas({ tally, log }),
      steps: createKillAt(setup.killAt),
    },
    prepared: preparation.answered,
    async close() {
      await delivery.close()
      await store.close()
    },
  }
}
