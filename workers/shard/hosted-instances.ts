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
  /** Resolves when the stop that is under way has ended, or has failed. */
  stopping: Promise<void> | undefined
}

export function createHostedInstances(log: Log) {
  const hosted = new Map<string, Hosted>()

  async function stopNow(id: string, { instance, started }: Hosted, how: StopHow, onStopped: () => void) {
    const isStarted = await started.then(
      () => true,
      () => false,
    )
    if (!isStarted) return false
    await instance.stop(how)
    hosted.delete(id)
    onStopped()
    return true
  }

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
      if (running?.stopping) return running.stopping.then(() => this.start(config, how, make))
      if (running !== undefined) return running.started
      const instance = make()
      const started = instance.start(how)
      hosted.set(config.id, { instance, started, stopping: undefined })
      started.catch(() => hosted.delete(config.id))
      return started
    },

    /**
     * Resolves with false if the instance does not run here, or if its start failed. `onStopped` is called before the
     * instance can start again.
     */
    async stop(id: string, how: StopHow, onStopped: () => void): Promise<boolean> {
      const entry = hosted.get(id)
      if (entry === undefined) return false
      const stop = stopNow(id, entry, how, onStopped)
      const ended = stop.then(
        () => {},
        () => {},
      )
      entry.stopping = ended
      try {
        return await stop
      } finally {
        if (entry.stopping === ended) entry.stopping = undefined
      }
    },

    async stopAll(deadlineMs: number): Promise<void> {
      const stops = [...hosted].map(async ([id, { instance, started }]) => {
        try {
          await started
          await instance.stop('keep')
        } catch (error) {
          log.warn({ instance: id, err: error }, 'an instance did not stop cleanly')
        }
      })
      await orLate(Promise.all(stops), deadlineMs, () => {})
      hosted.clear()
    },
  }
}
