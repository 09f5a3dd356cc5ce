/**
 * Content blocks of `received`, one per `message_type` (shared/api/webhook-payloads.md, 2.3). The description publishes them, translation
 * returns their types, and tests hold every event to them.
 */
import { z } from 'zod'
import { instant } from './fields.ts'

const text = (max: number) => z.string().max(max)
const nullable = (max: number) => text(max).nullable()
const number = z.number().nullable()
const whole = z.int().nullable()
const when = instant.nullable()
const id = text(128)
const identifier = text(128)

const media = {
  url: z.string().nullable().meta({
    description: 'Link to the file, valid for 24 hours, see `media.download`. Null with a sentence in `download_error`.',
  }),
  mime_type: text(128),
  file_size: whole.meta({ description: 'Bytes.' }),
  download_error: nullable(256),
}
const caption = nullable(65_536)
const size = { width: whole, height: whole }

const referenced = z
  .strictObject({
    message_id: id,
    from_me: z.boolean(),
    phone: identifier,
    participant: identifier.nullable(),
  })
  .meta({ id: 'ReferencedMessage', description: 'The message spoken about.' })
export type ReferencedMessage = z.output<typeof referenced>

const place = {
  latitude: z.number(),
  longitude: z.number(),
  name: nullable(256),
  address: nullable(1_024),
  url: nullable(2_048),
}
const Location = z.strictObject(place)
export type ReceivedLocation = z.output<typeof Location>
const Contact = z.strictObject({
  display_name: text(256),
  vcard: text(16_384),
  phones: z.array(z.string().regex(/^\d+$/)).max(10),
})
export type ReceivedContact = z.output<typeof Contact>

const Button = z
  .strictObject({
    id: text(256),
    type: z.enum(['reply', 'url', 'call', 'copy']),
    label: text(60),
    url: text(2_048).optional(),
    phone: text(20).optional(),
    code: text(1_024).optional(),
  })
  .meta({ id: 'ReceivedButton' })
export type ReceivedButton = z.output<typeof Button>
const buttons = z.array(Button).max(10)
const frame = { message: text(4_096), title: nullable(256), footer: nullable(256) }
const links = { image_url: z.string().nullable(), video_url: z.string().nullable(), document_url: z.string().nullable() }

const Section = z.strictObject({
  title: text(256),
  options: z.array(z.strictObject({ id: text(256), title: text(256), description: nullable(1_024) })).max(100),
})
export type ReceivedSection = z.output<typeof Section>
export type ReceivedRow = ReceivedSection['options'][number]

const orderCard = {
  currency: text(3),
  reference_id: text(64),
  order_request_id: nullable(64),
  order_status: text(64),
  payment_status: nullable(64),
  total: number,
  sub_total: number,
  discount: number,
  shipping: number,
  tax: number,
  products: z
    .array(
      z.strictObject({
        name: text(256),
        quantity: z.number(),
        value: z.number(),
        product_id: text(64),
        is_custom_item: z.boolean(),
      }),
    )
    .max(100),
}

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

export const receivedBlocks = {
  text: z.strictObject({ message: text(65_536), title: nullable(256), description: nullable(1_024), url: nullable(2_048) }),
  image: z.strictObject({ ...media, caption, ...size }),
  video: z.strictObject({ ...media, caption, seconds: whole, ...size, gif: z.boolean(), ptv: z.boolean() }),
  audio: z.strictObject({ ...media, ptt: z.boolean(), seconds: whole }),
  document: z.strictObject({ ...media, file_name: nullable(255), title: nullable(256), caption, page_count: whole }),
  sticker: z.strictObject({ ...media, animated: z.boolean(), ...size }),
  location: Location,
  live_location: z.strictObject({
    latitude: z.number(),
    longitude: z.number(),
    accuracy_meters: number,
    speed_mps: number,
    bearing_degrees: number,
    sequence: whole,
    caption: nullable(1_024),
  }),
  contact: Contact,
  contacts: z.array(Contact).min(1).max(257),
  reaction: z.strictObject({
    value: text(64).meta({ description: 'Empty: taken back.' }),
    time: when,
    reaction_by: identifier,
    referenced_message: referenced,
  }),
  poll: z.strictObject({
    question: text(255),
    options: z.array(text(100)).max(12),
    poll_max_options: z.int().meta({ description: '0: no limit.' }),
  }),
  poll_vote: z.strictObject({
    poll_message_id: id,
    options: z.array(text(100)).max(12).meta({ description: 'Empty: withdrawn.' }),
    unknown_options: z.int(),
  }),
  buttons_response: z.strictObject({ button_id: text(256), message: text(1_024), carousel_card_index: whole }),
  list_response: z.strictObject({ selected_row_id: text(256), title: text(256), message: nullable(1_024) }),
  event: z.strictObject({
    name: text(256),
    description: nullable(4_096),
    canceled: z.boolean(),
    date_time: when,
    end_date_time: when,
    join_link: nullable(2_048),
    extra_guests_allowed: z.boolean(),
    location: z.strictObject({ name: nullable(256), address: nullable(1_024), latitude: number, longitude: number }).nullable(),
  }),
  event_response: z.strictObject({
    response: z.enum(['going', 'not_going', 'maybe']),
    response_from: identifier,
    time: when,
    referenced_message: referenced,
  }),
  product: z.strictObject({
    product_id: text(64),
    title: text(256),
    description: nullable(4_096),
    currency: text(3),
    price: z.number(),
    sale_price: number,
    retailer_id: nullable(128),
    url: nullable(2_048),
    product_image_count: z.int(),
    business_owner_phone: identifier,
  }),
  order: z.strictObject({
    order_id: text(64),
    token: text(512),
    order_title: text(256),
    message: nullable(1_024),
    item_count: z.int(),
    total: z.number(),
    currency: text(3),
    order_status: z.enum(['inquiry', 'accepted', 'declined']),
    seller_phone: identifier,
  }),
  buttons: z.strictObject({ ...frame, ...links, buttons }),
  list: z.strictObject({
    ...frame,
    button_label: text(60),
    sections: z.array(Section).max(10),
  }),
  carousel: z.strictObject({
    message: text(4_096),
    cards: z
      .array(
        z.strictObject({
          title: nullable(256),
          text: nullable(4_096),
          footer: nullable(256),
          image_url: z.string().nullable(),
          video_url: z.string().nullable(),
          buttons,
        }),
      )
      .max(10),
  }),
  hydrated_template: z.strictObject({
    ...frame,
    template_id: nullable(128),
    ...links,
    location: Location.nullable(),
    buttons,
  }),
  pix_key: z.strictObject({
    currency: text(3),
    reference_id: text(64),
    key: text(140),
    key_type: z.enum(['cpf', 'cnpj', 'phone', 'email', 'evp']),
    merchant_name: nullable(256),
  }),
  review_and_pay: z.strictObject({ order_type: text(64), ...orderCard }),
  review_order: z.strictObject(orderCard),
  request_payment: z.strictObject({
    value: z.number(),
    currency: text(3),
    expires_at: when,
    request_phone: identifier,
    note: nullable(1_024),
  }),
  send_payment: z.strictObject({
    value: number,
    currency: nullable(3),
    receiver_phone: identifier.nullable(),
    status: nullable(64),
    note: nullable(1_024),
  }),
  newsletter_admin_invite: z.strictObject({
    newsletter_id: id,
    newsletter_name: text(256),
    text: nullable(1_024),
    expires_at: when,
  }),
  newsletter_invite: z.strictObject({ newsletter_id: id, newsletter_name: text(256), text: nullable(1_024) }),
  group_invite: z.strictObject({
    group_id: identifier,
    group_name: text(256),
    invite_code: text(64),
    caption: nullable(1_024),
    expires_at: when,
  }),
  pin: z.strictObject({ action: z.enum(['pin', 'unpin']), pin_duration_seconds: z.int(), referenced_message: referenced }),
  notification: z.enum(NOTIFICATIONS),
  unsupported: z.strictObject({ proto_type: text(64).meta({ description: 'Name of the content in the protocol.' }) }),
} satisfies Record<string, z.ZodType>

export type ReceivedBlocks = { [Name in keyof typeof receivedBlocks]: z.output<(typeof receivedBlocks)[Name]> }
/** Blocks that are no notification. */
export type BlockName = Exclude<keyof ReceivedBlocks, 'notification'>

/** Every value of `message_type`; the one without a block is a message that cannot be read yet. */
export const MESSAGE_TYPES = [...(Object.keys(receivedBlocks) as (keyof typeof receivedBlocks)[]), 'waiting_message'] as const

/** Fields beside the blocks that only some kinds have. */
export const receivedExtras = {
  notification_parameters: z.array(text(1_024)).max(1_024).meta({ description: 'With `notification`: what it is about.' }),
  request_method: z.enum(['invite_link', 'non_admin_add', 'linked_group_join']),
  request_action: z.enum(['revoked', 'rejected']).meta({ description: 'By the person, or by an admin.' }),
  call: z.strictObject({
    call_id: id,
    is_video: z.boolean(),
    is_group: z.boolean(),
    group_id: identifier.nullable(),
    auto_rejected: z.boolean(),
  }),
  label_associations: z
    .array(z.strictObject({ phone: identifier, label: id, assigned: z.boolean() }))
    .min(1)
    .max(100),
  profile_name: text(256),
  updated_photo: nullable(2_048),
  album_message_id: id,
  external_ad_reply: z
    .strictObject({
      title: nullable(256),
      body: nullable(1_024),
      media_type: z.enum(['none', 'image', 'video']).nullable(),
      thumbnail_url: nullable(2_048),
      source_type: nullable(64),
      source_id: nullable(128),
      source_url: nullable(2_048),
      source_app: nullable(64),
      ctwa_clid: nullable(1_024),
      ref: nullable(1_024),
      contains_auto_reply: z.boolean().nullable(),
      render_larger_thumbnail: z.boolean().nullable(),
      show_ad_attribution: z.boolean().nullable(),
    })
    .meta({ description: 'The ad a conversation started from.' }),
} satisfies Record<string, z.ZodType>

type Extras = z.output<z.ZodObject<typeof receivedExtras>>

/** Which field comes with which notification, and with no other: shared/api/webhook-payloads.md, 2.5. */
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
/** A notification with the field that belongs to it. */
export type ReceivedNotification =
  | { notification: PlainNotification }
  | { [Field in NotificationField]: { notification: NamesWith<Field> } & Pick<Extras, Field> }[NotificationField]

/** What a message says: the block that its type names, and no other. */
export type ReceivedContent =
  | { [Name in BlockName]: { message_type: Name } & Pick<ReceivedBlocks, Name> }[BlockName]
  | ({ message_type: 'notification' } & ReceivedNotification & Pick<Extras, 'notification_parameters'>)
  | { message_type: 'waiting_message'; waiting_message: true }

/** Fields that go with contents of several kinds, where they apply. */
export type ReceivedExtras = Partial<Pick<Extras, 'album_message_id' | 'external_ad_reply'>>
export type ExternalAdReply = Extras['external_ad_reply']
