/** Fields of `received` beside its blocks. */
import { z } from 'zod'
import { among, flag, id, identifier, list, nullable, nullableFlag, nullableIdentifier, text } from './described.ts'

/** Fields beside the blocks that only some kinds have. */
export const receivedExtras = {
  notification_parameters: list(z.string().max(1_024), 1_024, 'With `notification`: what it is about.'),
  request_method: among(['invite_link', 'non_admin_add', 'linked_group_join'], 'How somebody asked to join.'),
  request_action: among(['revoked', 'rejected'], 'How a request to join ended: by the person, or by an admin.'),
  call: z
    .strictObject({
      call_id: id('Id of the call.'),
      is_video: flag('A video call.'),
      is_group: flag('A call of a group.'),
      group_id: nullableIdentifier('That group.'),
      auto_rejected: flag('This service rejected it, see the setting `call_reject_auto`.'),
    })
    .meta({ description: 'The call that was missed.' }),
  label_associations: z
    .array(
      z.strictObject({
        phone: identifier('The chat.'),
        label: id('The label.'),
        assigned: flag('False: taken off.'),
      }),
    )
    .min(1)
    .max(100)
    .meta({ description: 'Labels that chats got or lost.' }),
  profile_name: text(256, 'The new name of the profile.'),
  updated_photo: nullable(2_048, 'The new picture; null: none any more.'),
  album_message_id: id('The album this picture or video belongs to.'),
  comment_on_message_id: id(
    'With a comment in an announcement group: the message it is about. The block is the content of the comment.',
  ),
  external_ad_reply: z
    .strictObject({
      title: nullable(256, 'Title of the ad.'),
      body: nullable(1_024, 'Its text.'),
      media_type: z.enum(['none', 'image', 'video']).nullable().meta({ description: 'What the ad shows.' }),
      thumbnail_url: nullable(2_048, 'A small picture of it.'),
      source_type: nullable(64, 'Kind of source, as the network names it.'),
      source_id: nullable(128, 'Id of the ad.'),
      source_url: nullable(2_048, 'Page of the ad.'),
      source_app: nullable(64, 'App the ad was seen in.'),
      ctwa_clid: nullable(1_024, 'Click id, for reporting conversions.'),
      ref: nullable(1_024, 'What the advertiser passed along.'),
      contains_auto_reply: nullableFlag('The first message was filled in by the ad.'),
      render_larger_thumbnail: nullableFlag('Apps show the picture large.'),
      show_ad_attribution: nullableFlag('Apps say that it came from an ad.'),
    })
    .meta({ description: 'The ad a conversation started from.' }),
} satisfies Record<string, z.ZodType>

export type Extras = z.output<z.ZodObject<typeof receivedExtras>>

/** Fields that go with contents of several kinds, where they apply. */
export type ReceivedExtras = Partial<Pick<Extras, 'album_message_id' | 'comment_on_message_id' | 'external_ad_reply'>>
export type ExternalAdReply = Extras['external_ad_reply']
