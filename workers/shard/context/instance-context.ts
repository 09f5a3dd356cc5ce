import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { InstanceConfig } from '../../../src/domain/instance.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

/** The instance to which a part belongs. The context is created once per instance, and each part gets it as its first parameter. */
export interface InstanceContext {
  readonly id: string
  /** View of the store, which refuses commits after the instance has ended. */
  readonly store: StateStore
  /** Seals all data of the instance at rest. */
  readonly sealer: Sealer
  readonly clock: Clock
  /** Clock for waits; it does not step. */
  readonly steady: Clock
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  readonly tally: Tally
  readonly steps: Steps
  /**
   * Must be called when work for this instance begins. From this call on, the CPU time of the thread counts as used by this instance
   * (`usage/work-meter.ts`).
   */
  working(): void
  /** Returns the current configuration. */
  config(): InstanceConfig
}

/** The fields that one part needs, so that a test of this part creates only these fields. */
export type Context<K extends keyof InstanceContext> = Pick<InstanceContext, K>
