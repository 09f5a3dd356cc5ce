/** Usage of instances over a period of time, which shows the cost of each instance. */
import { DAY, HOUR, MINUTE } from './clock.ts'

/** Lengths in ms of the windows in which usage is measured, by name. */
export const USAGE_WINDOWS = { minute: MINUTE, hour: HOUR, day: DAY } as const
export type UsageWindow = keyof typeof USAGE_WINDOWS

/** Names of the measured amounts, which only increase. */
export const USAGE_AMOUNTS = ['cpuMs', 'sent', 'received', 'reconnects'] as const
export type UsageAmounts = Record<(typeof USAGE_AMOUNTS)[number], number>

/** Usage of one instance in a window. */
export interface WindowUsage extends UsageAmounts {
  /** Start of the counted time in epoch ms. It is the start of the window, or later if the instance has not been known for that long. */
  since: number
  /** Length of the counted time in ms. */
  spanMs: number
}

/** Current usage of one instance. */
export interface UsageNow {
  heldBytes: number
  lastSentAt: number | null
  lastReceivedAt: number | null
}

export interface Usage {
  /** Reads the shards, unless the last reading is younger than `maxAgeMs`. */
  look(maxAgeMs: number): Promise<void>
  /** Returns the usage of an instance; undefined if it was never read. */
  within(instance: string, window: UsageWindow): WindowUsage | undefined
  now(instance: string): UsageNow | undefined
}
