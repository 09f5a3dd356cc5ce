import * as v from 'valibot'
import { count, numberInQuery, Phone, text } from './values.ts'

export const InboxQuery = v.strictObject({
  after: v.optional(numberInQuery(0, Number.MAX_SAFE_INTEGER), '0'),
  wait_ms: v.optional(numberInQuery(0, 30_000), '0'),
})

export const Replay = v.strictObject({ id: text, as: v.optional(text) })

export const Rotate = v.strictObject({
  /**
   * Which keys are replaced:
   * - `signed_pre_key`: as phones do every few weeks; sessions continue
   * - `identity`: the app was installed again, so the device has another identity, and no sessions
   * - `sender_keys`: new keys of all groups are distributed with the next message to each
   * - `sessions`: the device deletes its sessions, but the linked devices keep theirs
   */
  what: v.picklist(['signed_pre_key', 'identity', 'sender_keys', 'sessions']),
  device: v.optional(count, 0),
})

export const Retry = v.strictObject({
  /** The linked account that receives the retry receipt. */
  to: Phone,
  id: text,
  /** A group, the status, or the person's private chat with the account `to`. */
  chat: v.optional(text),
  device: v.optional(count, 0),
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  keys: v.optional(v.boolean(), true),
  /** Number of receipts to send. If there are several, each has the given id with a number at its end. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
})

export const Receipt = v.strictObject({
  chat: text,
  ids: v.pipe(v.array(text), v.minLength(1, 'must name at least one message')),
  type: v.picklist(['delivered', 'read', 'played']),
})

export const Presence = v.strictObject({
  to: text,
  state: v.picklist(['available', 'unavailable', 'composing', 'recording', 'paused']),
})

export const Call = v.strictObject({
  to: text,
  video: v.optional(v.boolean()),
  group: v.optional(text),
  end: v.optional(v.picklist(['timeout', 'hangup']), 'timeout'),
  after_ms: v.optional(count, 30_000),
})

export type RetryInput = v.InferOutput<typeof Retry>
export type Rotation = v.InferOutput<typeof Rotate>['what']
