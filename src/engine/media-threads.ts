/**
 * Runs threads of `workers/media` and similar ones: they have no state, start when there is work, and end after a while
 * without work.
 */
import { Piscina } from 'piscina'
import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { memoryLimits, threadFlags, threadModule } from './thread.ts'

/** Milliseconds after which an idle thread ends. It uses about 40 MB until then. */
const IDLE = 30 * SECOND
/**
 * Size of the young generation of V8 in MB. It is small, because the large data of these threads is in buffers outside
 * of the heap.
 */
const YOUNG_MB = 6

export interface MediaThreads {
  folder?: string
  name: string
  data: object
  threads: number
  atOnce: number
  waiting: number
  heapMb: number
  log: Log
}

export function createMediaThreads<Task, Answer>(options: MediaThreads): Piscina<Task, Answer> {
  const { folder = 'media', name, data, threads, atOnce, waiting, heapMb, log } = options
  const module = threadModule(`../../workers/${folder}/${name}`, import.meta.url)
  const flags = threadFlags(module)
  const pool = new Piscina<Task, Answer>({
    filename: module.href,
    ...(flags === undefined ? {} : { execArgv: flags }),
    workerData: data,
    minThreads: 0,
    maxThreads: threads,
    concurrentTasksPerWorker: atOnce,
    maxQueue: waiting,
    idleTimeout: IDLE,
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: memoryLimits(heapMb, YOUNG_MB),
  })
  // Without a listener, an idle thread that dies would end the whole process.
  pool.on('error', (error) => log.error({ err: error, thread: `${folder}/${name}` }, 'a media or log thread ended unexpectedly'))
  return pool
}
