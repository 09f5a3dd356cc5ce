import { SAFETY_REASONS } from './send-safety.ts'

export const WAITING_REASONS = ['pacing', 'instance_not_connected', 'restricted', 'send_at', ...SAFETY_REASONS] as const

export type WaitingReason = (typeof WAITING_REASONS)[number]
