import type { InstanceReading, Readings, ShardSurvey } from '../domain/readings.ts'

export function createReadings({ survey }: { survey(): Promise<(ShardSurvey | undefined)[]> }): Readings {
  let surveys: readonly (ShardSurvey | undefined)[] = []
  let byInstance: ReadonlyMap<string, InstanceReading> = new Map()
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  async function lookNow() {
    surveys = await survey()
    lookedAt = performance.now()
    byInstance = new Map(surveys.flatMap((shard) => shard?.instances ?? []).map((reading) => [reading.instance, reading]))
  }

  return {
    of: (instance) => byInstance.get(instance),
    all: () => [...byInstance.values()],
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
