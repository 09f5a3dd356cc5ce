import { keys } from '../../storage/record-keys.ts'
import type { ClusterHostingDeps, StartAgain } from './contract.ts'

export type StartingDeps = Pick<ClusterHostingDeps, 'homes' | 'map' | 'store' | 'keyRing' | 'directory' | 'start' | 'log'> & {
  /** Is called for an instance without a configuration. */
  erase(instance: string): void
}

/** The instances that this member has claimed and not started yet. */
export function createStarting({ homes, map, store, keyRing, directory, start, erase, log }: StartingDeps) {
  const waiting = new Map<string, StartAgain>()
  /** Instances whose failure is in the log. */
  const told = new Set<string>()

  async function startOne(instance: string, how: StartAgain): Promise<void> {
    const isGone = () => !homes.isOwn(instance) || map.isLeaving(instance) || !waiting.has(instance)
    // Another member may have deleted the instance before this one claimed it.
    const isConfigured = (await store.get(keys.config(instance))) !== undefined
    if (isGone()) return
    if (!isConfigured) return erase(instance)
    if (!directory.has(instance)) await directory.catchUp()
    await keyRing.learn(instance)
    if (!isGone()) start(directory.config(instance), how)
  }

  return {
    has: (instance: string) => waiting.has(instance),
    add: (instance: string, how: StartAgain) => void waiting.set(instance, how),
    remove: (instance: string) => void waiting.delete(instance),
    async startAll(): Promise<void> {
      await Promise.all(
        [...waiting].map(async ([instance, how]) => {
          try {
            await startOne(instance, how)
            waiting.delete(instance)
            told.delete(instance)
          } catch (err) {
            if (told.has(instance)) return
            told.add(instance)
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
