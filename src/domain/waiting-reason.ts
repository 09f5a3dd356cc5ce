/** Reasons why a message waits in the queue: `waiting_reason` of its list. */
export const WAITING_REASONS = ['pacing', 'instance_not_connected', 'restricted', 'send_at'] as const

export type WaitingReason = (typeof WAITING_REASONS)[number]
