import { z } from 'zod'
import { among, flag, id, identifier, list, nullable, nullableFlag, nullableIdentifier, text } from './described.ts'

/** Fields of `received` that belong to no content block. Each is present only in some messages. */
export const receivedExtras = {
  notification_parameters: list(z.string().max(1_024), 1_024, 'Details of a `notification`.'),
  request_method: among(['invite_link', 'non_admin_add', 'linked_group_join'], 'How the person asked to join.'),
  request_action: among(['revoked', 'rejected'], 'Who ended the request to join: the person or an administrator.'),
  call: z
    .strictObject({
      call_id: id('Id of the call.'),
      is_video: flag('A video call.'),
      is_group: flag('Whether it was a group call.'),
      group_id: nullableIdentifier('That group.'),
      auto_rejected: flag('Whether this service rejected the call, see the setting `call_reject_auto`.'),
    })
    .meta({ description: 'A missed call.' }),
  label_associations: z
    .array(
      z.strictObject({
        phone: identifier('The chat.'),
        label: id('The label.'),
        assigned: flag('True if the label was added, false if it was removed.'),
      }),
    )
    .min(1)
    .max(100)
    .meta({ description: 'Labels that were added to chats or removed from them.' }),
  profile_name: text(256, 'The new name of the profile.'),
  updated_photo: nullable(2_048, 'URL of the new picture; null if it was removed.'),
  album_message_id: id('Album that this picture or video belongs to.'),
  comment_on_message_id: id(
    'Message that a comment in an announcement group refers to. The content block is the comment itself.',
  ),
  external_ad_reply: z
    .strictObject({
      title: nullable(256, 'Title of the ad.'),
      body: nullable(1_024, 'Its text.'),
      media_type: z.enum(['none', 'image', 'video']).nullable().meta({ description: 'Media type of the ad.' }),
      thumbnail_url: nullable(2_048, 'Small picture of the ad.'),
      source_type: nullable(64, 'Type of the source, as the network names it.'),
      source_id: nullable(128, 'Id of the ad.'),
      source_url: nullable(2_048, 'URL of the page of the ad.'),
      source_app: nullable(64, 'App in which the ad was seen.'),
      ctwa_clid: nullable(1_024, 'Click id, for reporting conversions.'),
      ref: nullable(1_024, 'Data that the advertiser passed along.'),
      contains_auto_reply: nullableFlag('Whether the ad filled in the first message.'),
      render_larger_thumbnail: nullableFlag('Whether apps show the picture large.'),
      show_ad_attribution: nullableFlag('Whether apps show that the message came from an ad.'),
    })
    .meta({ description: 'Ad from which the conversation started.' }),
} satisfies Record<string, z.ZodType>

export type Extras = z.output<z.ZodObject<typeof receivedExtras>>

export type ReceivedExtras = Partial<Pick<Extras, 'album_message_id' | 'comment_on_message_id' | 'external_ad_reply'>>
export type ExternalAdReply = Extras['external_ad_reply']
