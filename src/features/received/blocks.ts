/**
 * Content blocks of `received`, one per `message_type` (shared/api/webhook-payloads.md, 2.3). The description publishes them, translation
 * returns their types, and tests hold every event to them.
 */
import type { z } from 'zod'
import { commerceBlocks } from './commerce.ts'
import type { Extras } from './extras.ts'
import { messageBlocks } from './messages.ts'
import { notification, type ReceivedNotification } from './notifications.ts'

export const receivedBlocks = { ...messageBlocks, ...commerceBlocks, notification }

export type ReceivedBlocks = { [Name in keyof typeof receivedBlocks]: z.output<(typeof receivedBlocks)[Name]> }
/** Blocks that are no notification. */
export type BlockName = Exclude<keyof ReceivedBlocks, 'notification'>

/** Every value of `message_type`; the one without a block is a message that cannot be read yet. */
export const MESSAGE_TYPES = [...(Object.keys(receivedBlocks) as (keyof typeof receivedBlocks)[]), 'waiting_message'] as const

/** The content of a message: the block that its type names, and no other. */
export type ReceivedContent =
  | { [Name in BlockName]: { message_type: Name } & Pick<ReceivedBlocks, Name> }[BlockName]
  | ({ message_type: 'notification' } & ReceivedNotification & Pick<Extras, 'notification_parameters'>)
  | { message_type: 'waiting_message'; waiting_message: true }
