import type { InstanceReading, Readings, ShardSurvey } from '../domain/readings.ts'

export interface ReadingsDeps {
  survey(): Promise<(ShardSurvey | undefined)[]>
  /** Measurements of the instances of other services; absent if there is only one service. */
  others?: (() => Promise<InstanceReading[]>) | undefined
}

export function createReadings({ survey, others = async () => [] }: ReadingsDeps): Readings {
  let surveys: readonly (ShardSurvey | undefined)[] = []
  let own: readonly InstanceReading[] = []
  let byInstance: ReadonlyMap<string, InstanceReading> = new Map()
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  async function lookNow() {
    const [found, elsewhere] = await Promise.all([survey(), others()])
    surveys = found
    lookedAt = performance.now()
    own = surveys.flatMap((shard) => shard?.instances ?? [])
    // An instance that has just moved may be in both lists. The reading of this service replaces that of the other
    // service.
    byInstance = new Map([...elsewhere, ...own].map((reading) => [reading.instance, reading]))
  }

  return {
    of: (instance) => byInstance.get(instance),
    all: () => [...byInstance.values()],
    own: () => own,
    shards: () => surveys,
    async look(maxAgeMs) {
      if (performance.now() - lookedAt < maxAgeMs) return
      looking ??= lookNow().finally(() => {
        looking = undefined
      })
      await looking
    },
  }
}
