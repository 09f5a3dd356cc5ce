/** Events between parts of one instance. Events are used where the sender is constructed before the receiver. */
import { EventEmitter } from 'node:events'
import type { LifecycleEvent } from './lifecycle/contract.ts'

export interface InstanceEventMap {
  /** A person wrote to the account for the first time. A message to this person that was held in the queue may be sent now. */
  newCorrespondent: []
  /** Somebody else, or the owner on the phone, wrote in this chat. A message to this chat that send safety holds in the queue may be sent now. */
  heard: [chat: string]
  /** The webhooks or the readers of the live stream now want other types of events than before. */
  interest: []
  /** An event of the session or of its timers. The event is dropped if `isCurrent` is false when it is processed. */
  lifecycle: [event: LifecycleEvent, isCurrent?: () => boolean]
}

export type InstanceEvents = EventEmitter<InstanceEventMap>

export const createInstanceEvents = (): InstanceEvents => new EventEmitter()
