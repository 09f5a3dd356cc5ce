import { DAY, HOUR, MINUTE } from './clock.ts'

export const USAGE_WINDOWS = { minute: MINUTE, hour: HOUR, day: DAY } as const
export type UsageWindow = keyof typeof USAGE_WINDOWS

export const USAGE_AMOUNTS = ['cpuMs', 'sent', 'received', 'reconnects'] as const
export type UsageAmounts = Record<(typeof USAGE_AMOUNTS)[number], number>

export interface WindowUsage extends UsageAmounts {
  /**
   * Start of the counted time in epoch ms. It is later than the start of the window if the instance is new, or if the
   * service started during the window.
   */
  since: number
  spanMs: number
}

export interface UsageNow {
  heldBytes: number
  lastSentAt: number | null
  lastReceivedAt: number | null
}

export interface Usage {
  /** Measures the usage, unless the last measurement is younger than `maxAgeMs`. */
  look(maxAgeMs: number): Promise<void>
  within(instance: string, window: UsageWindow): WindowUsage | undefined
  now(instance: string): UsageNow | undefined
}
