/** The five webhook event types (shared/api/webhook-payloads.md, 1). Their payloads are declared in `features/webhook-payloads.ts`. */
export const EVENT_TYPES = ['received', 'delivery', 'message_status', 'instance_status', 'chat_presence'] as const
export type EventType = (typeof EVENT_TYPES)[number]
