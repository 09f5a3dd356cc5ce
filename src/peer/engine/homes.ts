import type { ActiveService } from '../forward-rules.ts'

/** `here` if this service has the instance; otherwise the service that has it. */
export type Home = 'here' | ActiveService

export interface Homes {
  /** Returns undefined while no service has the instance, or while this service does not know which one has it. */
  whereIs(instance: string): Home | undefined
  /** Reads again which service has which instance. */
  refresh?(): Promise<void>
}
