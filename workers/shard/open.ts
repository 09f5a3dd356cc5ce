/** Opens what all instances of a thread share, once per life. */
import { VERSION } from '../../src/domain/brand.ts'
import { systemClock } from '../../src/domain/clock.ts'
import type { EngineEvent, ShardSetup } from '../../src/engine/engine.ts'
import type { Logger } from '../../src/log.ts'
import { openStore } from '../../src/storage/open.ts'
import { createSealer } from '../../src/storage/seal.ts'
import { parseAllow } from '../../src/webhooks/addresses.ts'
import { createDelivery } from '../../src/webhooks/delivery.ts'
import { createKillAt } from './faults.ts'
import type { ShardDeps } from './instance.ts'
import { createKeyCache } from './key-store.ts'
import { openWebVersion } from './web-version.ts'

/** Signal records kept in memory, of all instances of the thread: about 1 KB each, 50 MB at most. */
const CACHED_KEYS = 50_000

export interface OpenShard {
  deps: ShardDeps
  close(): Promise<void>
}

export async function openShard(setup: ShardSetup, log: Logger, announce: (event: EngineEvent) => void): Promise<OpenShard> {
  const store = await openStore(setup.storeUrl)
  const egressAllow = parseAllow(setup.egressAllow)
  const delivery = createDelivery({ allow: egressAllow, version: VERSION, clock: systemClock })
  return {
    deps: {
      store,
      sealer: createSealer(setup.secretKey),
      keyCache: createKeyCache({ maxEntries: CACHED_KEYS }),
      network: setup.network,
      egressAllow,
      deliver: delivery.deliver,
      version: await openWebVersion(store, log),
      clock: systemClock,
      log,
      announce,
      killAt: createKillAt(setup.killAt),
    },
    async close() {
      await delivery.close()
      await store.close()
    },
  }
}
