import * as v from 'valibot'
import { count, Message, Phone, text } from './values.ts'

export const NewGroup = v.strictObject({
  subject: text,
  owner: Phone,
  participants: v.array(Phone),
  addressing: v.optional(v.picklist(['lid', 'pn'])),
  settings: v.optional(v.record(v.string(), v.unknown())),
})

export const ParticipantsChange = v.strictObject({
  by: Phone,
  action: v.picklist(['add', 'remove', 'promote', 'demote', 'leave', 'request', 'withdraw', 'reject', 'change_number']),
  /**
   * People whom the action concerns. The default is `by` if people leave, request to join or withdraw. For
   * `change_number`, these are the earlier numbers of `by`.
   */
  phones: v.optional(v.array(Phone)),
  /** How the person requested to join. */
  method: v.optional(v.picklist(['invite_link', 'non_admin_add', 'linked_group_join'])),
})

export const GroupChange = v.strictObject({
  by: Phone,
  subject: v.optional(text),
  description: v.optional(v.string()),
  announce: v.optional(v.boolean()),
  restrict: v.optional(v.boolean()),
  ephemeral_seconds: v.optional(count),
  join_approval: v.optional(v.boolean()),
  suspended: v.optional(v.boolean()),
  picture: v.optional(v.string()),
  member_add_mode: v.optional(v.picklist(['admin_add', 'all_member_add'])),
  renew_invite: v.optional(v.boolean()),
  capacity: v.optional(count),
  /** JID of the community to which the group is added. */
  community: v.optional(v.string()),
})

export const Post = v.strictObject({ message: Message })

export const PostChange = v.strictObject({ post: text, message: v.optional(Message) })

export const PostReaction = v.strictObject({
  post: text,
  emoji: v.string(),
  form: v.optional(v.picklist(['live_updates', 'reaction']), 'live_updates'),
})

/** Change of a person's role in a channel. `form` selects the form of the stanza that reports it. */
export const ChannelRole = v.strictObject({
  by: Phone,
  phone: Phone,
  role: v.picklist(['admin', 'subscriber']),
  form: v.optional(v.picklist(['participant', 'mex', 'updates']), 'mex'),
})

export type GroupInput = v.InferOutput<typeof NewGroup>
export type ChannelRoleChange = v.InferOutput<typeof ChannelRole>
