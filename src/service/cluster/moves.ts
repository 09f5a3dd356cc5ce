import type { MoveReason } from '../../domain/nodes.ts'
import type { ClusterHostingDeps } from './contract.ts'

export interface Moves {
  /**
   * Gives the instance to the member `to`, and resolves with whether it was given; never rejects. Calls `onFailed` if a
   * step fails, even if the store may have released the instance. `mayGive` is called directly before the instance is
   * stopped.
   */
  give(instance: string, to: string, reason: MoveReason, mayGive?: (instance: string) => boolean): Promise<boolean>
  has(instance: string): boolean
  readonly size: number
  ended(): Promise<unknown>
}

export interface MovesOptions {
  /** Awaited while the instance still runs here. Never rejects. */
  prepare(instance: string): Promise<unknown>
  /** Whether the instance exists, as far as this member knows. */
  isKnown(instance: string): boolean
  onBegun(instance: string): void
  onGiven(to: string): void
  onFailed(instance: string): void
}

/**
 * Gives instances to other members. If this process is killed at any step, the instance belongs to no living member, so
 * another member can claim it.
 */
export function createMoves(
  { homes, map, directory, stop, tally, log }: Pick<ClusterHostingDeps, 'homes' | 'map' | 'directory' | 'stop' | 'tally' | 'log'>,
  { prepare, isKnown, onBegun, onGiven, onFailed }: MovesOptions,
): Moves {
  const running = new Map<string, Promise<boolean>>()

  async function carryOut(
    instance: string,
    to: string,
    reason: MoveReason,
    mayGive: (instance: string) => boolean,
  ): Promise<boolean> {
    try {
      await prepare(instance)
      // During `prepare`, the instance may have been deleted or lost, or a command may have stopped it to work with its
      // records.
      if (!homes.isOwn(instance) || !isKnown(instance) || directory.isPaused(instance) || !mayGive(instance)) return false
      await map.leave(instance, async () => {
        onBegun(instance)
        await stop(instance)
        await homes.release([instance], to)
      })
      onGiven(to)
      tally.add('svc_moves_total', { reason, result: 'given' })
      log.info({ instance_id: instance, to, reason }, 'an instance was given to another service of the cluster')
      return true
    } catch (err) {
      tally.add('svc_moves_total', { reason, result: 'failed' })
      log.error({ err, instance_id: instance, to, reason }, 'an instance could not be given to another service of the cluster')
      onFailed(instance)
      return false
    } finally {
      running.delete(instance)
    }
  }

  return {
    give(instance, to, reason, mayGive = () => true) {
      const known = running.get(instance) ?? carryOut(instance, to, reason, mayGive)
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
