/**
 * Loads the code of a standby before the takeover, and the code of a member before it joins its cluster: the shard
 * threads and the HTTP application. This uses neither the store nor the network.
 */
import type { Config } from '../config.ts'
import type { Log } from '../domain/log.ts'
import { isPassing } from '../domain/passing-error.ts'
import { THREAD } from '../engine/pooled-engine.ts'
import { startWarmThread, type WarmThread } from '../engine/warm-thread.ts'
import { type LoadedHttp, loadHttp } from './load-http.ts'
import type { Shutdown } from './shutdown.ts'

export interface WarmParts {
  threads: readonly WarmThread[]
  /** Returns the HTTP application. It is loaded again if a temporary error prevented that before. */
  http(): Promise<LoadedHttp>
  /** Rejects with a sentence for the operator if the code cannot be loaded. */
  loaded: Promise<unknown>
}

/** Returns undefined if this service is neither a standby nor a member of a cluster. */
export function warmUp(
  config: Config,
  { log, shutdown, allowCrash }: { log: Log; shutdown: Shutdown; allowCrash: boolean },
): WarmParts | undefined {
  if (!config.isStandby && !config.isCluster) return undefined
  const { shards, shardHeapMb: heapMb, logging } = config
  const threads = Array.from({ length: shards }, (_, shard) =>
    startWarmThread({ worker: THREAD, heapMb, data: { shard, logging, allowCrash }, log }),
  )
  shutdown.add(async () => void (await Promise.all(threads.map((thread) => thread.end()))))
  const http = loadHttp(config)
  const loaded = allLoaded(threads, http)
  loaded.catch(() => {})
  const httpAgain = (cause: unknown) => {
    throwUnlessPassing(cause)
    return loadHttp(config)
  }
  return { threads, http: () => http.catch(httpAgain), loaded }
}

export async function allLoaded(threads: readonly Pick<WarmThread, 'loaded'>[], http: Promise<unknown>): Promise<void> {
  try {
    await Promise.all([http.catch(throwUnlessPassing), ...threads.map(({ loaded }) => loaded.catch(throwUnlessPassing))])
  } catch (cause) {
    throw new Error('The service cannot load its code, so it could not take over; install this release again.', { cause })
  }
}

/**
 * Ignores a temporary error. The code of a shard thread or of the HTTP application that could not be loaded is loaded
 * again when it is needed.
 */
function throwUnlessPassing(cause: unknown) {
  if (!isPassing(cause)) throw cause
}
