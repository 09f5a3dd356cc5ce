/** Events between the parts of one instance whose sender is constructed before its receiver. */
import { EventEmitter } from 'node:events'
import type { LifecycleEvent } from './lifecycle/contract.ts'

export interface InstanceEventMap {
  /** A person wrote to the account for the first time, so an item of the queue that was held for that may leave. */
  newCorrespondent: []
  /** Somebody else wrote in this chat, so an item of the queue that waited for an answer may leave. */
  heard: [chat: string]
  /** The webhooks or a reader of the live stream want other events than before. */
  interest: []
  /** Something happened to the session or to its timers. The event is dropped if `isCurrent` is false when it is processed. */
  lifecycle: [event: LifecycleEvent, isCurrent?: () => boolean]
}

export type InstanceEvents = EventEmitter<InstanceEventMap>

export const createInstanceEvents = (): InstanceEvents => new EventEmitter()
