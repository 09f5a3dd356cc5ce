import type { Directory } from '../directory/directory.ts'
import type { InstanceConfig } from '../domain/instance.ts'
import type { Engine, StartHow } from '../engine/engine.ts'
import type { Logger } from '../log.ts'
import type { Shutdown } from './shutdown.ts'

export interface InstanceStartsDeps {
  log: Logger
  engine: Pick<Engine, 'start'>
  /** False if another service has the instance, or is about to get it. */
  mayStart?: ((instance: string) => boolean) | undefined
  /** Returns how an instance is started if the caller does not say it; `boot` by default. */
  howOf?: ((instance: string) => Exclude<StartHow, 'create'>) | undefined
  directory: Directory
  shutdown: Shutdown
}

export interface InstanceStarts {
  /**
   * Starts the instance, unless `mayStart` is false for it. Resolves when the instance runs, or when its start has
   * failed and the failure was logged.
   */
  boot(instance: InstanceConfig, how?: Exclude<StartHow, 'create'>): Promise<void>
  bootAll(instances: readonly InstanceConfig[]): Promise<unknown>
  /**
   * Creates instances from the imported devices in the store. `booted` resolves when the starts of these instances have
   * ended. Does nothing while the service stops.
   */
  takeImports(): Promise<{ booted: Promise<unknown> }>
}

export function createInstanceStarts({
  log,
  engine,
  mayStart = () => true,
  howOf = () => 'boot',
  directory,
  shutdown,
}: InstanceStartsDeps): InstanceStarts {
  const boot: InstanceStarts['boot'] = async (instance, how = howOf(instance.id)) => {
    if (!mayStart(instance.id)) return
    await engine.start(instance, how).then(
      (state) => directory.observe(instance.id, state),
      (error) => log.error({ err: error, instance: instance.id }, 'the instance could not be started'),
    )
  }
  const bootAll: InstanceStarts['bootAll'] = (instances) => Promise.all(instances.map((each) => boot(each)))
  return {
    boot,
    bootAll,
    async takeImports() {
      if (shutdown.hasBegun) return { booted: Promise.resolve() }
      const booted: Promise<void>[] = []
      await directory
        .takeImports((instance) => void booted.push(boot(instance)))
        .catch((error) => log.error({ err: error }, 'imported devices could not be made instances'))
      return { booted: Promise.all(booted) }
    },
  }
}
