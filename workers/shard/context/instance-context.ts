import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { InstanceConfig } from '../../../src/domain/instance.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

/** Data and clocks of one instance. Each of its parts gets this as its first parameter. */
export interface InstanceContext {
  readonly id: string
  readonly store: StateStore
  /** Encrypts the stored data of the instance, and hashes names and ids. */
  readonly sealer: Sealer
  readonly clock: Clock
  /** Monotonic clock for waits. */
  readonly steady: Clock
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  readonly tally: Tally
  readonly steps: Steps
  working(): void
  config(): InstanceConfig
}

export type Context<K extends keyof InstanceContext> = Pick<InstanceContext, K>
