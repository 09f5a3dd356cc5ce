import { Failure } from './failures.ts'

/** The webhook event types. Their payloads are declared in `features/webhook-payloads.ts`. */
export const EVENT_TYPES = ['received', 'delivery', 'message_status', 'instance_status', 'chat_presence'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Returns the event type with this name, in upper or lower case. Throws `not_found` if there is none. */
export function eventTypeOf(name: string): EventType {
  const known = EVENT_TYPES.find((type) => type === name.toLowerCase())
  if (known === undefined) throw new Failure('not_found', { message: `The event types are ${EVENT_TYPES.join(', ')}.` })
  return known
}
