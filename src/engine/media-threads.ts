/** Threads of `workers/media` and its like: without state, there while there is work, and gone after a while without. */
import { Piscina } from 'piscina'
import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { memoryLimits, threadFlags, threadModule } from './thread.ts'

/** An idle thread keeps about 40 MB. */
const IDLE = 30 * SECOND
/** For what lives briefly, in MB: their large things are buffers, which are outside of it. */
const YOUNG_MB = 6

export interface MediaThreads {
  /** Of `workers`; `media` when it is not given. */
  folder?: string
  /** Name of the thread's main module there. */
  name: string
  data: object
  threads: number
  /** Tasks one thread takes at a time, and how many may wait for one. */
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
  // Without a listener a thread that dies idle would end the whole process.
  pool.on('error', (error) => log.error({ err: error, thread: `${folder}/${name}` }, 'a media or log thread ended unexpectedly'))
  return pool
}
