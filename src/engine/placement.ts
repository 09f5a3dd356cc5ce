/** Places instances on shards. The placement is only in memory, because any shard can host any instance. */
import { Failure } from '../domain/failures.ts'
import type { InstanceConfig } from '../domain/instance.ts'
import type { StartHow } from './engine.ts'
import type { Shard } from './shard-supervisor.ts'

/** An instance and its shard. The instance runs there now, or will run there from the next thread run on. */
export interface Placed {
  shard: Shard
  config: InstanceConfig
  /** Generation of the thread run to which the start was sent; undefined while the start waits. */
  generation: number | undefined
  /** Generation of the thread run that last announced a state of the instance. */
  heardIn: number | undefined
  /** True if the creation failed, or if the instance is being deleted. Its records are then erased, at the latest in the next thread run. */
  isDoomed: boolean
}

export interface Placement {
  /** Returns the place of the instance, or places it on the shard with the fewest instances. Undefined if no shard can take the instance. */
  place(config: InstanceConfig, how: StartHow): Placed | undefined
  get(instance: string): Placed | undefined
  /** Finds an instance and its shard. Throws `engine_unavailable` if the instance is on no shard. */
  find(instance: string): Placed
  remove(instance: string): void
  on(shard: Shard): Placed[]
}

export function createPlacement(shards: readonly Shard[]): Placement {
  const placed = new Map<string, Placed>()

  /**
   * Returns the shard with the fewest instances. A new instance needs a shard that answers; a boot can wait for the
   * next thread run.
   */
  function roomiest(how: StartHow): Shard | undefined {
    const load = new Map(shards.map((shard) => [shard, 0]))
    for (const { shard } of placed.values()) load.set(shard, load.get(shard)! + 1)
    const byLoad = [...shards].sort((a, b) => load.get(a)! - load.get(b)!)
    return byLoad.find((shard) => shard.generation() !== undefined) ?? (how === 'boot' ? byLoad[0] : undefined)
  }

  return {
    place(config, how) {
      const shard = placed.get(config.id)?.shard ?? roomiest(how)
      if (shard === undefined) return undefined
      const entry: Placed = { shard, config, generation: undefined, heardIn: undefined, isDoomed: false }
      placed.set(config.id, entry)
      return entry
    },
    get: (instance) => placed.get(instance),
    find(instance) {
      const entry = placed.get(instance)
      if (entry === undefined) throw new Failure('engine_unavailable')
      return entry
    },
    remove: (instance) => void placed.delete(instance),
    on: (shard) => [...placed.values()].filter((entry) => entry.shard === shard),
  }
}
