import type { Directory } from '../directory/directory.ts'
import type { InstanceConfig } from '../domain/instance.ts'
import type { Engine, StartHow } from '../engine/engine.ts'
import type { Logger } from '../log.ts'
import type { Shutdown } from './shutdown.ts'

export interface InstanceStartsDeps {
  log: Logger
  engine: Pick<Engine, 'start'>
  directory: Directory
  shutdown: Shutdown
}

export interface InstanceStarts {
  /** `boot` by default. A failure is logged. Settles when the instance runs or could not be started. */
  boot(instance: InstanceConfig, how?: Exclude<StartHow, 'create'>): Promise<void>
  bootAll(instances: readonly InstanceConfig[], how?: Exclude<StartHow, 'create'>): Promise<unknown>
  /**
   * Creates an instance from each imported device in the store. `booted` resolves when they run. Does nothing while the
   * service stops, because its next start finds the devices.
   */
  takeImports(): Promise<{ booted: Promise<unknown> }>
}

export function createInstanceStarts({ log, engine, directory, shutdown }: InstanceStartsDeps): InstanceStarts {
  const boot: InstanceStarts['boot'] = (instance, how = 'boot') =>
    engine.start(instance, how).then(
      (state) => directory.observe(instance.id, state),
      (error) => log.error({ err: error, instance: instance.id }, 'the instance could not be started'),
    )
  const bootAll: InstanceStarts['bootAll'] = (instances, how) => Promise.all(instances.map((each) => boot(each, how)))
  return {
    boot,
    bootAll,
    async takeImports() {
      if (shutdown.hasBegun) return { booted: Promise.resolve() }
      const taken = await directory.takeImports().catch((error) => {
        log.error({ err: error }, 'imported devices could not be made instances')
        return []
      })
      return { booted: bootAll(taken) }
    },
  }
}
