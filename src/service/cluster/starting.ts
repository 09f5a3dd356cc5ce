import { keys } from '../../storage/record-keys.ts'
import type { ClusterHostingDeps, StartAgain } from './contract.ts'

export type StartingDeps = Pick<
  ClusterHostingDeps,
  'homes' | 'map' | 'store' | 'keyRing' | 'directory' | 'start' | 'clock' | 'log'
> & {
  /** Is called for an instance without a configuration. */
  erase(instance: string): void
  /** Is called when a start has ended. */
  onStarted(): void
}

export type Starting = ReturnType<typeof createStarting>

/** The instances that this member has claimed and not started yet. */
export function createStarting({ homes, map, store, keyRing, directory, start, erase, onStarted, clock, log }: StartingDeps) {
  const waiting = new Map<string, StartAgain>()
  /** Time since which an instance could not be started, by the id of the instance. */
  const failing = new Map<string, number>()
  let inLine = 0

  async function startOne(instance: string, how: StartAgain): Promise<void> {
    // True if the instance must not be started here now. A paused instance is started at the end of its pause.
    const isGone = () =>
      !homes.isOwn(instance) || map.isLeaving(instance) || !waiting.has(instance) || directory.isPaused(instance)
    // If the instance has no configuration, another member has deleted it before this one claimed it.
    const isConfigured = (await store.get(keys.config(instance))) !== undefined
    if (isGone()) return
    if (!isConfigured) return erase(instance)
    if (!directory.has(instance)) await directory.catchUp()
    await keyRing.learn(instance)
    if (isGone()) return
    inLine++
    void start(directory.config(instance), how).finally(() => {
      inLine--
      onStarted()
    })
  }

  function forget(instance: string) {
    waiting.delete(instance)
    failing.delete(instance)
  }

  return {
    has: (instance: string) => waiting.has(instance),
    add: (instance: string, how: StartAgain) => void waiting.set(instance, how),
    /** Number of instances that will start soon. Instances that could not be started do not count. */
    size: () => inLine + waiting.size - failing.size,
    /** Milliseconds since the start failed for the first time; undefined if it has not failed. */
    failingFor(instance: string): number | undefined {
      const since = failing.get(instance)
      return since === undefined ? undefined : clock.now() - since
    },
    remove: forget,
    async startAll(): Promise<void> {
      if (waiting.size === 0) return
      // The changes are read first, because the member that had the instances may have changed their settings a moment
      // ago.
      await directory.catchUp()
      await Promise.all(
        [...waiting].map(async ([instance, how]) => {
          try {
            await startOne(instance, how)
            forget(instance)
          } catch (err) {
            if (failing.has(instance) || !waiting.has(instance)) return
            failing.set(instance, clock.now())
            log.warn(
              { err, instance_id: instance },
              'an instance could not be started here yet; the service tries again each second',
            )
          }
        }),
      )
    },
  }
}
