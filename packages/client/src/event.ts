import type { components } from './generated/schema.ts'

type Schemas = components['schemas']

/**
 * An event of an instance, as webhooks and the event stream deliver it. The field `type` says which kind of event it
 * is.
 */
export type SvcEvent =
  | Schemas['ReceivedEvent']
  | Schemas['DeliveryEvent']
  | Schemas['MessageStatusEvent']
  | Schemas['InstanceStatusEvent']
  | Schemas['ChatPresenceEvent']

export type EventType = SvcEvent['type']
export type EventOf<T extends EventType> = Extract<SvcEvent, { type: T }>
