import type { InstanceReading, Readings, ShardSurvey } from '../domain/readings.ts'

export interface ReadingsDeps {
  survey(): Promise<(ShardSurvey | undefined)[]>
  /** Measurements of the instances of other services; absent outside of a cluster. */
  others?: (() => Promise<InstanceReading[]>) | undefined
}

export function createReadings({ survey, others = async () => [] }: ReadingsDeps): Readings {
  let surveys: readonly (ShardSurvey | undefined)[] = []
  let own: readonly InstanceReading[] = []
  let elsewhere: readonly InstanceReading[] = []
  let byInstance: ReadonlyMap<string, InstanceReading> = new Map()

  function note() {
    // An instance that has just moved may be in both lists. The reading of this service replaces that of the other
    // service.
    byInstance = new Map([...elsewhere, ...own].map((reading) => [reading.instance, reading]))
  }

  const lookHere = repeated(async () => {
    surveys = await survey()
    own = surveys.flatMap((shard) => shard?.instances ?? [])
    note()
  })
  const look = repeated(async () => {
    const [found] = await Promise.all([others(), lookHere(0)])
    elsewhere = found
    note()
  })

  return {
    of: (instance) => byInstance.get(instance),
    all: () => [...byInstance.values()],
    own: () => own,
    shards: () => surveys,
    look,
    lookHere,
  }
}

/** Returns a function that measures again, unless the last measurement is younger than the given time in ms. */
function repeated(measure: () => Promise<void>): (maxAgeMs: number) => Promise<void> {
  let measuredAt = Number.NEGATIVE_INFINITY
  let measuring: Promise<void> | undefined

  async function measureNow() {
    await measure()
    measuredAt = performance.now()
  }

  return async (maxAgeMs) => {
    if (performance.now() - measuredAt < maxAgeMs) return
    measuring ??= measureNow().finally(() => {
      measuring = undefined
    })
    await measuring
  }
}
