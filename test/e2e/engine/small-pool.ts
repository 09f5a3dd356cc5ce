import type { PoolSetup } from '../../../src/engine/pooled-engine.ts'
import { sameKind } from '../../harness/checkout.ts'

/** Setup of a pool of two shard threads with small instances, for tests of the supervision of threads. */
export const SMALL_POOL: PoolSetup = {
  shards: 2,
  startsPerSecond: 5,
  storeUrl: 'none:',
  linksKey: new Uint8Array(32),
  keyOf: () => new Uint8Array(64),
  network: { url: 'ws://127.0.0.1:1', root: null, ca: null, mediaHost: null, verify: 'strict' },
  egressAllow: [],
  media: { blobs: { in: 'store' }, blobBudgetBytes: 0, blobsUsed: new BigInt64Array(1), tempDir: '', downloadMs: 0 },
  prepareMedia: async () => ({ ok: null }),
  logging: { level: 'silent' },
  killAt: null,
  allowCrash: true,
  log: { info() {}, warn() {}, error() {} },
  worker: sameKind('./small-shard', import.meta.url),
}
