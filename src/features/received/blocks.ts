/**
 * Content blocks of the event `received`, by `message_type`. The API description publishes them, and tests check events
 * against them.
 */
import type { z } from 'zod'
import { commerceBlocks } from './commerce.ts'
import type { Extras } from './extras.ts'
import { messageBlocks } from './messages.ts'
import { notification, type ReceivedNotification } from './notifications.ts'

export const receivedBlocks = { ...messageBlocks, ...commerceBlocks, notification }

export type ReceivedBlocks = { [Name in keyof typeof receivedBlocks]: z.output<(typeof receivedBlocks)[Name]> }
export type BlockName = Exclude<keyof ReceivedBlocks, 'notification'>

/** The types of messages. `waiting_message` is a message that cannot be decrypted yet. */
export const MESSAGE_TYPES = [...(Object.keys(receivedBlocks) as (keyof typeof receivedBlocks)[]), 'waiting_message'] as const

export type ReceivedContent =
  | { [Name in BlockName]: { message_type: Name } & Pick<ReceivedBlocks, Name> }[BlockName]
  | ({ message_type: 'notification' } & ReceivedNotification & Pick<Extras, 'notification_parameters'>)
  | { message_type: 'waiting_message'; waiting_message: true }
