/** Checks regularly whether a bucket can be used, so that the operator learns of a problem before a caller does. */
import { SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import type { BucketClient } from './bucket-client.ts'

const EVERY = 30 * SECOND

export interface BucketWatch {
  /**
   * Returns a sentence that all callers may see, because it contains no addresses. Returns undefined if the bucket
   * could be used at the last check.
   */
  problem(): string | undefined
  look(): Promise<void>
  stop(): void
}

export interface BucketWatchOptions {
  client: Pick<BucketClient, 'check'>
  variable: string
  meanwhile: string
  log: Log
  onBack(): Promise<void>
  everyMs?: number | undefined
}

export async function watchBucket(options: BucketWatchOptions): Promise<BucketWatch> {
  const { client, variable, meanwhile, log, onBack, everyMs = EVERY } = options
  let isAway = false
  let said = ''

  async function look(): Promise<void> {
    try {
      await client.check()
      if (!isAway) return
      await onBack()
      isAway = false
      said = ''
      log.info({ variable }, 'the bucket can be used again')
    } catch (error) {
      isAway = true
      const { message } = error as Error
      if (message !== said) log.error({ variable, err: error }, `the bucket cannot be used: ${meanwhile}`)
      said = message
    }
  }

  await look()
  let timer: NodeJS.Timeout | undefined
  const later = () => {
    timer = setTimeout(() => void look().finally(() => timer && later()), everyMs)
    timer.unref()
  }
  later()

  return {
    look,
    problem: () => (isAway ? `The bucket of ${variable} cannot be used: ${meanwhile}.` : undefined),
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
