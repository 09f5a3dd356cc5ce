/**
 * The main module of the conversion thread. Each task prepares one file. Tasks run at the same time, but the expensive
 * steps wait for each other.
 */
import { workerData } from 'node:worker_threads'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { Logging } from '../../src/domain/log.ts'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { createLog } from '../../src/log.ts'
import { type ConverterOptions, createConverter } from './converter.ts'
import { giveWay } from './give-way.ts'
import { createPrepare } from './prepare.ts'
import { createProgramRunner } from './program-runner.ts'

giveWay()
const { logging, ...options } = workerData as ConverterOptions & { logging: Logging }
const log = createLog(logging, 'media')
const runner = createProgramRunner()
const prepareMedia = createPrepare(createConverter(options, runner))

export async function prepare(job: MediaJob): Promise<{ ok: PreparedMedia } | { err: FailureData }> {
  try {
    return { ok: await prepareMedia(job) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    log.info(
      { purpose: job.purpose, code: error.code, err: error.cause ?? error },
      'a media file could not be prepared for sending',
    )
    return { err: error.toData() }
  }
}

/**
 * Ends all running programs. The main thread calls this before it ends the thread, because termination emits no event
 * inside the thread.
 */
export const stop = (): void => runner.end()
