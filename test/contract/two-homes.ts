/**
 * The engines of two services in this process, which the real link connects. Service b has the instances, in a real
 * shard thread. No instance runs in service a.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../src/domain/log.ts'
import { createPooledEngine, type PooledEngine } from '../../src/engine/pooled-engine.ts'
import type { Logger } from '../../src/log.ts'
import { openClusterEngine } from '../../src/service/open-cluster-engine.ts'
import { createShutdown } from '../../src/service/shutdown.ts'
import type { KeyRing } from '../../src/storage/key-ring.ts'
import { type OpenStore, openBlobItems } from '../../src/storage/open-store.ts'
import { SMALL_POOL } from '../e2e/engine/small-pool.ts'
import { closeSides, HOST, openSide, SECRET } from '../unit/peer/side.ts'

type Name = 'a' | 'b'

export async function openTwoEngines(silent: Log) {
  const log = silent as Logger
  const tempDir = await mkdtemp(join(tmpdir(), 'svc-two-homes-'))
  const sides = { a: await openSide(), b: await openSide() }
  for (const [name, { link }] of Object.entries(sides)) link.setOwnId(name)
  const pools = new Map<Name, PooledEngine>()
  const shutdowns = new Map<Name, ReturnType<typeof createShutdown>>()

  const open = (name: Name) => async (parts: { store: OpenStore; keyRing: KeyRing }) => {
    const { store, keyRing } = parts
    const { worker: _, ...pool } = { ...SMALL_POOL, shards: 1 }
    const media = { ...pool.media, tempDir }
    const local = await createPooledEngine(
      name === 'a' ? { ...SMALL_POOL, shards: 1 } : { ...pool, media, storeUrl: store.threadUrl, keyOf: keyRing.of },
    )
    const shutdown = createShutdown({ now: Date.now })
    pools.set(name, local)
    shutdowns.set(name, shutdown)
    const other = name === 'a' ? 'b' : 'a'
    const peer = { id: other, host: HOST, port: sides[other].port }
    const storage = { store, keyRing, blobs: await openBlobItems({ in: 'store' }, store), steps() {} }
    const engine = await openClusterEngine(
      { secretKey: Buffer.from(SECRET).toString('hex') },
      {
        local,
        homes: { whereIs: (instance) => (store.homes!.isOwn(instance) ? 'here' : peer) },
        members: { others: () => [{ ...peer, name: other }], onLook() {} },
        link: sides[name].link,
        storage,
        shutdown,
        log,
      },
    )
    return { engine, cluster: { isHome: store.homes!.isOwn, eraseAfterMs: 100 } }
  }

  return {
    open,
    poolOf: (name: Name) => pools.get(name)!,
    end: async (name: Name) => void (await shutdowns.get(name)!.run(1_000)),
    async close() {
      for (const shutdown of shutdowns.values()) await shutdown.run(1_000)
      await closeSides()
      await rm(tempDir, { recursive: true, force: true })
    },
  }
}
