/**
 * Loads the code of a standby before the takeover: the shard threads and the HTTP application. It uses neither the store
 * nor the network.
 */
import type { Config } from '../config.ts'
import type { Log } from '../domain/log.ts'
import { THREAD } from '../engine/pooled-engine.ts'
import { startWarmThread, type WarmThread } from '../engine/warm-thread.ts'
import { type LoadedHttp, loadHttp } from './load-http.ts'
import type { Shutdown } from './shutdown.ts'

export interface WarmParts {
  threads: readonly WarmThread[]
  http: Promise<LoadedHttp>
}

/** Undefined if this service is no standby, because its start does not wait for another service. */
export function warmUp(config: Config, { log, shutdown, allowCrash }: { log: Log; shutdown: Shutdown; allowCrash: boolean }) {
  if (!config.isStandby) return undefined
  const { shards, shardHeapMb: heapMb, logging } = config
  const threads = Array.from({ length: shards }, (_, shard) =>
    startWarmThread({ worker: THREAD, heapMb, data: { shard, logging, allowCrash }, log }),
  )
  shutdown.add(async () => void (await Promise.all(threads.map((thread) => thread.end()))))
  const http = loadHttp()
  // The start reports the error when it needs the application.
  http.catch(() => {})
  return { threads, http } satisfies WarmParts
}
