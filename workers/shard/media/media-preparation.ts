import { Failure, type FailureData } from '../../../src/domain/failures.ts'
import type { MediaJob, PreparedMedia } from '../../../src/domain/media-job.ts'
import type { ShardNeed } from '../../../src/engine/engine.ts'

export interface MediaPreparation {
  /** Prepares media in another thread. Rejects with `media_invalid` and the reason as a sentence. */
  prepare(job: MediaJob): Promise<PreparedMedia>
  answered(id: number, result: unknown): void
}

export function createMediaPreparation(ask: (need: ShardNeed) => void): MediaPreparation {
  const waiting = new Map<number, (result: { ok: PreparedMedia } | { err: FailureData }) => void>()
  let last = 0

  return {
    prepare(job) {
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, (result) => ('ok' in result ? resolve(result.ok) : reject(Failure.from(result.err))))
        ask({ type: 'prepare', id, job })
      })
    },
    answered(id, result) {
      const answer = waiting.get(id)
      waiting.delete(id)
      answer?.(result as { ok: PreparedMedia } | { err: FailureData })
    },
  }
}
