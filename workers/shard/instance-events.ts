/** Events between parts of one instance, where the sender is constructed before the receiver. */
import { EventEmitter } from 'node:events'
import type { LifecycleEvent } from './lifecycle/contract.ts'

export interface InstanceEventMap {
  /** A person wrote to the account for the first time. A waiting message to this person may be sent now. */
  newCorrespondent: []
  /** A person, or the owner on the phone, wrote in this chat. A waiting message to the chat may be sent now. */
  heard: [chat: string]
  /** Webhooks or readers of the live stream want other types of events than before. */
  interest: []
  /** An event of the session or of its timers. It is dropped if `isCurrent` is false when it is processed. */
  lifecycle: [event: LifecycleEvent, isCurrent?: () => boolean]
}

export type InstanceEvents = EventEmitter<InstanceEventMap>

export const createInstanceEvents = (): InstanceEvents => new EventEmitter()
