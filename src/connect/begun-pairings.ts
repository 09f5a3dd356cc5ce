/**
 * Pairings that were begun with a connect link. They end soon after the link, and are only in memory, because a pairing
 * ends with the process.
 */
import type { ConnectLink } from '../domain/connect-link.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'

export interface BegunPairings {
  begin(link: Pick<ConnectLink, 'id' | 'instance'>): void
  succeeded(id: string): void
  deleted(instance: string): void
  /**
   * Ends the pairing of a link, so that its codes can no longer link an account. A pairing that succeeded is not
   * changed.
   */
  end(id: string): Promise<void>
  endAll(isOver: (id: string) => boolean): Promise<void>
}

export function createBegunPairings(engine: Pick<Engine, 'call'>, log: Log): BegunPairings {
  const begun = new Map<string, InstanceId>()

  async function end(id: string) {
    const instance = begun.get(id)
    if (instance === undefined) return
    begun.delete(id)
    try {
      await engine.call(instance, { kind: 'control', operation: 'instance.endPairing', input: {}, ifUnpaired: true })
    } catch (err) {
      if (err instanceof Failure && err.code === 'instance_already_connected') return
      // The pairing could not be ended. Its entry is kept, so that the next check tries again.
      begun.set(id, instance)
      log.warn({ err, link_id: id, instance_id: instance }, 'the pairing of an ended connect link could not be ended')
    }
  }

  return {
    begin: ({ id, instance }) => void begun.set(id, instance),
    succeeded: (id) => void begun.delete(id),
    deleted(instance) {
      for (const [id, of] of begun) if (of === instance) begun.delete(id)
    },
    end,
    async endAll(isOver) {
      await Promise.all([...begun.keys()].filter(isOver).map(end))
    },
  }
}
