import type { MoveReason } from '../../domain/nodes.ts'
import type { ClusterHostingDeps } from './contract.ts'

export interface Moves {
  /**
   * Gives the instance to the member `to`. Never rejects. Calls `onFailed` if a step fails, even if the store may have
   * released the instance.
   */
  give(instance: string, to: string, reason: MoveReason): Promise<void>
  has(instance: string): boolean
  readonly size: number
  ended(): Promise<unknown>
}

export interface MovesOptions {
  /** Awaited while the instance still runs here. Never rejects. */
  prepare(instance: string): Promise<unknown>
  onBegun(instance: string): void
  onGiven(to: string): void
  onFailed(instance: string): void
}

/**
 * Gives instances to other members. If this process is killed at any step, no living member has the instance, so any of
 * them may claim it.
 */
export function createMoves(
  { homes, map, directory, stop, tally, log }: Pick<ClusterHostingDeps, 'homes' | 'map' | 'directory' | 'stop' | 'tally' | 'log'>,
  { prepare, onBegun, onGiven, onFailed }: MovesOptions,
): Moves {
  const running = new Map<string, Promise<void>>()

  async function carryOut(instance: string, to: string, reason: MoveReason): Promise<void> {
    try {
      await prepare(instance)
      // The instance may have been deleted or lost meanwhile.
      if (!homes.isOwn(instance) || !directory.has(instance)) return
      await map.leave(instance, async () => {
        onBegun(instance)
        await stop(instance)
        await homes.release([instance], to)
      })
      onGiven(to)
      tally.add('svc_moves_total', { reason, result: 'given' })
      log.info({ instance_id: instance, to, reason }, 'an instance was given to another service of the cluster')
    } catch (err) {
      tally.add('svc_moves_total', { reason, result: 'failed' })
      log.error({ err, instance_id: instance, to, reason }, 'an instance could not be given to another service of the cluster')
      onFailed(instance)
    } finally {
      running.delete(instance)
    }
  }

  return {
    give(instance, to, reason) {
      const known = running.get(instance) ?? carryOut(instance, to, reason)
      running.set(instance, known)
      return known
    },
    has: (instance) => running.has(instance),
    get size() {
      return running.size
    },
    ended: () => Promise.all(running.values()),
  }
}
