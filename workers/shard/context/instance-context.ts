import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { InstanceConfig } from '../../../src/domain/instance.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

/** The instance that a part belongs to. It is made once per instance, and the parts get it as their first parameter. */
export interface InstanceContext {
  readonly id: string
  /** View of the store that ends with the instance. */
  readonly store: StateStore
  /** Seals all data of the instance at rest. */
  readonly sealer: Sealer
  readonly clock: Clock
  /** Clock for waits; it does not step. */
  readonly steady: Clock
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  readonly tally: Tally
  readonly steps: Steps
  /** Something has arrived for this instance; the CPU time from now on is its own (`usage/work-meter.ts`). */
  working(): void
  /** The configuration as of this moment. */
  config(): InstanceConfig
}

/** The fields that one part needs. A test of the part makes only these. */
export type Context<K extends keyof InstanceContext> = Pick<InstanceContext, K>
