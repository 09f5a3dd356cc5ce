import { MINUTE, SECOND } from '../../domain/clock.ts'
import type { ClusterHostingDeps } from './contract.ts'

export type ErasingDeps = Pick<ClusterHostingDeps, 'homes' | 'erase' | 'clock' | 'log'>

export interface Erasing {
  add(instance: string): void
  /** Begins to erase the instances that are due, unless an erasure is under way. */
  look(): void
  /** Begins no further erasure. Resolves when none is under way. */
  stop(): Promise<void>
}

const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = 5 * MINUTE

/**
 * Erases the instances of this member that have no configuration, one after the other. Claims and moves do not wait for
 * this, because an erasure may take minutes.
 */
export function createErasing({ homes, erase, clock, log }: ErasingDeps): Erasing {
  const waiting = new Map<string, { dueAt: number; pauseMs: number }>()
  let erasing: Promise<void> | undefined
  let isStopped = false

  async function eraseOne(instance: string, pauseMs: number): Promise<void> {
    try {
      if (homes.isOwn(instance)) await erase([instance])
      waiting.delete(instance)
    } catch (err) {
      waiting.set(instance, { dueAt: clock.now() + pauseMs, pauseMs: Math.min(LONGEST_PAUSE, 2 * pauseMs) })
      const again = 'what a deletion or an import has left of an instance could not be erased; the service tries again'
      log.warn({ err, instance_id: instance, again_in_ms: pauseMs }, again)
    }
  }

  async function eraseDue(): Promise<void> {
    for (const [instance, { dueAt, pauseMs }] of waiting) {
      if (isStopped) return
      if (clock.now() >= dueAt) await eraseOne(instance, pauseMs)
    }
  }

  return {
    add(instance) {
      if (!waiting.has(instance)) waiting.set(instance, { dueAt: clock.now(), pauseMs: FIRST_PAUSE })
    },
    look() {
      erasing ??= eraseDue().finally(() => {
        erasing = undefined
      })
    },
    async stop() {
      isStopped = true
      await erasing
    },
  }
}
