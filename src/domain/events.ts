/** The five webhook event types, and what wraps each of them (shared/api/webhook-payloads.md, 1). */
export const EVENT_TYPES = ['received', 'delivery', 'message_status', 'instance_status', 'chat_presence'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** A finished event before the envelope's `instance_id`, `event_id` and `single_url` are added. */
export interface DomainEvent {
  type: EventType
  /** Epoch milliseconds of the fact: message timestamp, receipt timestamp, change of status. The wire name is `momment`. */
  at: number
  /** The fields of the type, as the contract writes them. */
  body: Record<string, unknown>
}
