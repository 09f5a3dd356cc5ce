/** Places instances on shard threads. The placement is only in memory, because any thread can run any instance. */
import type { InstanceConfig } from '../domain/instance.ts'
import type { StartHow } from './engine.ts'
import type { Shard } from './shard-supervisor.ts'
import type { StartPlace } from './start-gate.ts'
import { NotHosted } from './unavailable.ts'

/** The place of an instance in the line of starts (`start-gate.ts`). */
export interface InLine extends Pick<StartPlace, 'moveAhead'> {
  /** Resolves when the start has been sent, or has become unnecessary. */
  readonly left: Promise<void>
  leave(): void
}

export interface Placed {
  shard: Shard
  config: InstanceConfig
  /**
   * Number of the latest thread run to which the start was sent; undefined if there is none. A failed start can make it
   * undefined again.
   */
  generation: number | undefined
  /** Place in the line of starts; undefined unless the start waits. */
  inLine: InLine | undefined
  heardIn: number | undefined
  /** How later runs of the thread start the instance. */
  again: Exclude<StartHow, 'create'>
  /**
   * True if the creation failed or the instance is being deleted. Its records are erased in the next thread run at the
   * latest.
   */
  isDoomed: boolean
  /**
   * True while a stop with `keep` is under way. A start that is sent now would arrive after the stop, so none must be
   * sent.
   */
  isStopping: boolean
  /**
   * Time since which starts fail although the thread runs; undefined if this has not happened since the last success.
   */
  failingSince: number | undefined
}

export interface Placement {
  /**
   * Places an instance: on its earlier shard, or on the shard with the fewest instances among those whose thread runs.
   * Undefined if `how` is `create` and no thread runs.
   */
  place(config: InstanceConfig, how: StartHow): Placed | undefined
  get(instance: string): Placed | undefined
  /** Returns the place of an instance. Throws `NotHosted` if the instance is on no shard. */
  find(instance: string): Placed
  remove(instance: string): void
  on(shard: Shard): Placed[]
}

export function createPlacement(shards: readonly Shard[]): Placement {
  const placed = new Map<string, Placed>()

  function roomiest(how: StartHow): Shard | undefined {
    const load = new Map(shards.map((shard) => [shard, 0]))
    for (const { shard } of placed.values()) load.set(shard, load.get(shard)! + 1)
    const byLoad = [...shards].sort((a, b) => load.get(a)! - load.get(b)!)
    return byLoad.find((shard) => shard.generation() !== undefined) ?? (how === 'create' ? undefined : byLoad[0])
  }

  return {
    place(config, how) {
      const before = placed.get(config.id)
      const shard = before?.shard ?? roomiest(how)
      if (shard === undefined) return undefined
      const entry: Placed = {
        shard,
        config,
        generation: undefined,
        inLine: undefined,
        heardIn: undefined,
        // A takeover stays one in later starts: the service that has failed may still run somewhere.
        again: how === 'create' ? 'boot' : before?.again === 'takeover' ? 'takeover' : how,
        isDoomed: false,
        isStopping: false,
        failingSince: before?.failingSince,
      }
      placed.set(config.id, entry)
      return entry
    },
    get: (instance) => placed.get(instance),
    find(instance) {
      const entry = placed.get(instance)
      if (entry === undefined) throw new NotHosted()
      return entry
    },
    remove: (instance) => void placed.delete(instance),
    on: (shard) => [...placed.values()].filter((entry) => entry.shard === shard),
  }
}
