/** The instances that run in a shard thread. Every command for an instance waits until its start has ended. */
import { Failure } from '../../src/domain/failures.ts'
import type { InstanceConfig, RuntimeState } from '../../src/domain/instance.ts'
import type { Log } from '../../src/domain/log.ts'
import type { StartHow, StopHow } from '../../src/engine/engine.ts'
import { orLate } from '../../src/lib/deadline.ts'
import type { HostedInstance } from './instance.ts'

interface Hosted {
  instance: HostedInstance
  started: Promise<RuntimeState>
}

export function createHostedInstances(log: Log) {
  const hosted = new Map<string, Hosted>()

  return {
    all: (): [id: string, instance: HostedInstance][] => [...hosted].map(([id, { instance }]) => [id, instance]),

    async find(id: string): Promise<HostedInstance> {
      const entry = hosted.get(id)
      if (entry === undefined) throw new Failure('engine_unavailable')
      await entry.started
      return entry.instance
    },

    start(config: InstanceConfig, how: StartHow, make: () => HostedInstance): Promise<RuntimeState> {
      const running = hosted.get(config.id)
      if (running !== undefined) return running.started
      const instance = make()
      const started = instance.start(how)
      hosted.set(config.id, { instance, started })
      started.catch(() => hosted.delete(config.id))
      return started
    },

    async stop(id: string, how: StopHow): Promise<boolean> {
      const entry = hosted.get(id)
      const isStarted = await entry?.started.then(
        () => true,
        () => false,
      )
      if (!entry || !isStarted) return false
      await entry.instance.stop(how)
      hosted.delete(id)
      return true
    },

    async stopAll(deadlineMs: number): Promise<void> {
      const stops = [...hosted].map(async ([id, { instance, started }]) => {
        try {
          await started
          await instance.stop('keep')
        } catch (error) {
          log.warn({ instance: id, err: error }, 'instance did not stop cleanly')
        }
      })
      await orLate(Promise.all(stops), deadlineMs, () => {})
      hosted.clear()
    },
  }
}
