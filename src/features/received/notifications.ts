import { z } from 'zod'
import type { Extras } from './extras.ts'

export const NOTIFICATIONS = [
  'group_create',
  'group_change_subject',
  'group_change_icon',
  'group_change_invite_link',
  'group_change_description',
  'group_change_restrict',
  'group_change_announce',
  'group_participant_add',
  'group_participant_remove',
  'group_participant_promote',
  'group_participant_demote',
  'group_participant_leave',
  'group_participant_change_number',
  'group_member_add_mode',
  'group_membership_approval_mode',
  'membership_approval_request',
  'revoked_membership_requests',
  'ephemeral_setting_changed',
  'revoke',
  'call_missed_voice',
  'call_missed_video',
  'call_missed_group_voice',
  'call_missed_group_video',
  'newsletter_admin_promote',
  'newsletter_admin_demote',
  'chat_label_association',
  'profile_name_updated',
  'profile_picture_updated',
  'payment_action_request_declined',
  'payment_action_request_cancelled',
] as const
export type NotificationName = (typeof NOTIFICATIONS)[number]

export const notification = z
  .enum(NOTIFICATIONS)
  .meta({ description: 'A change to the chat or the account; `notification_parameters` has the details.' })

export const NOTIFICATION_FIELDS = {
  membership_approval_request: 'request_method',
  revoked_membership_requests: 'request_action',
  call_missed_voice: 'call',
  call_missed_video: 'call',
  call_missed_group_voice: 'call',
  call_missed_group_video: 'call',
  chat_label_association: 'label_associations',
  profile_name_updated: 'profile_name',
  profile_picture_updated: 'updated_photo',
} as const satisfies Partial<Record<NotificationName, keyof Extras>>
type NotificationField = (typeof NOTIFICATION_FIELDS)[keyof typeof NOTIFICATION_FIELDS]
type NamesWith<Field> = {
  [Name in keyof typeof NOTIFICATION_FIELDS]: (typeof NOTIFICATION_FIELDS)[Name] extends Field ? Name : never
}[keyof typeof NOTIFICATION_FIELDS]

export type PlainNotification = Exclude<NotificationName, keyof typeof NOTIFICATION_FIELDS>
export type ReceivedNotification =
  | { notification: PlainNotification }
  | { [Field in NotificationField]: { notification: NamesWith<Field> } & Pick<Extras, Field> }[NotificationField]
