import PQueue from 'p-queue'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { LogReader } from '../domain/webhook-log.ts'
import { createMediaThreads } from './media-threads.ts'

const HEAP_MB = 256
const WAITING = 100

export interface LogThreads extends LogReader {
  close(): Promise<void>
}

export interface LogThreadOptions {
  storeUrl: string
  keyRing: { of(instance: string): Uint8Array; instances(): string[] }
  log: Log
}

export function createLogThreads({ storeUrl, keyRing, log }: LogThreadOptions): LogThreads {
  const pool = createMediaThreads<unknown, never>({
    folder: 'webhook-log',
    name: 'main',
    data: {},
    threads: 1,
    atOnce: 1,
    waiting: WAITING,
    heapMb: HEAP_MB,
    log,
  })
  /**
   * Queue of the queries: the thread runs one at a time. A query is skipped if its caller has gone while the query
   * waited.
   */
  const turns = new PQueue({ concurrency: 1 })

  /**
   * Returns the keys of these instances. An instance that is being deleted has no key any longer, so it is left out.
   */
  function keysOf(instanceIds: readonly string[]): Map<string, Uint8Array> {
    const known = new Set(keyRing.instances())
    return new Map(instanceIds.filter((id) => known.has(id)).map((id) => [id, keyRing.of(id)]))
  }

  async function ask<M extends keyof LogReader>(
    method: M,
    instanceIds: readonly string[],
    of: (known: string[]) => Parameters<LogReader[M]>,
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<LogReader[M]>>> {
    try {
      if (turns.size >= WAITING) throw new Error(`${WAITING} queries wait already`)
      // The queue does not get the signal: after an abort, it would start the next query while the thread still reads
      // for this one.
      return await turns.add(() => {
        signal?.throwIfAborted()
        const keys = keysOf(instanceIds)
        return pool.run({ ask: method, of: of([...keys.keys()]), storeUrl, keys }, { name: 'read' })
      })
    } catch (cause) {
      throw new Failure('engine_unavailable', {
        message: 'The webhook log cannot be read at the moment; try again later.',
        // If the caller has gone, nobody waits for the answer. The failure then has no cause, because the log reports
        // only failures with a cause.
        ...(signal?.aborted ? {} : { cause }),
      })
    }
  }

  return {
    list: (filter, signal) => ask('list', filter.instanceIds, (instanceIds) => [{ ...filter, instanceIds }], signal),
    resendable: (range, limit) => ask('resendable', range.instanceIds, (instanceIds) => [{ ...range, instanceIds }, limit]),
    owners: (instanceIds, eventIds) => ask('owners', instanceIds, (known) => [known, eventIds]),
    close: () => pool.destroy(),
  }
}
