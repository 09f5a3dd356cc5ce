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
  /** Encrypts all stored data of the instance. */
  readonly sealer: Sealer
  readonly clock: Clock
  /** Clock for waits; it does not step. */
  readonly steady: Clock
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  readonly tally: Tally
  readonly steps: Steps
  /** Call this when work for this instance begins. From then on, the CPU time of the thread counts as its own. */
  working(): void
  config(): InstanceConfig
}

/** The fields that one part needs, so that its test creates only these. */
export type Context<K extends keyof InstanceContext> = Pick<InstanceContext, K>
