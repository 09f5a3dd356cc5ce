import type { ThreadHealth } from '../domain/dashboard.ts'
import { MB } from '../domain/media.ts'
import type { ShardSurvey } from '../domain/readings.ts'

export const mb = (bytes: number) => Math.round((bytes / MB) * 10) / 10

const share = (busy: number) => Math.round(busy * 100) / 100

/**
 * Returns the health of the threads. An entry of `generations` is undefined for a thread that is down, and one of
 * `surveys` for a thread that did not answer.
 */
export const threadsOf = (
  main: { heapBytes: number; busy: number },
  generations: readonly (number | undefined)[],
  surveys: readonly (ShardSurvey | undefined)[],
): ThreadHealth[] => [
  { name: 'main', up: true, restarts: 0, instances: null, heap_mb: mb(main.heapBytes), busy: share(main.busy) },
  ...generations.map((generation, index): ThreadHealth => {
    const survey = surveys[index]
    return {
      name: `shard ${index}`,
      up: generation !== undefined && survey !== undefined,
      restarts: (generation ?? 1) - 1,
      instances: survey?.instances.length ?? null,
      heap_mb: survey ? mb(survey.heapBytes) : null,
      busy: survey ? share(survey.busy) : null,
    }
  }),
]
