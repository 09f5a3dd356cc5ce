/**
 * Content blocks of `received`, one per `message_type` (shared/api/webhook-payloads.md, 2.3). The description publishes them, translation
 * returns their types, and tests hold every event to them.
 */
import { z } from 'zod'
import { instant } from './fields.ts'

/*
 * Every helper takes what its field means: a field without it does not compile, because the description publishes all of them.
 */
const text = (max: number, description: string) => z.string().max(max).meta({ description })
const nullable = (max: number, description: string) => z.string().max(max).nullable().meta({ description })
const number = (description: string) => z.number().meta({ description })
const amount = (description: string) => z.number().nullable().meta({ description })
const integer = (description: string) => z.int().meta({ description })
const whole = (description: string) => z.int().nullable().meta({ description })
const flag = (description: string) => z.boolean().meta({ description })
const nullableFlag = (description: string) => z.boolean().nullable().meta({ description })
const when = (description: string) => instant.nullable().meta({ description })
const id = (description: string) => text(128, description)
const identifier = (description: string) => text(128, description)
const nullableIdentifier = (description: string) => nullable(128, description)
const link = (description: string) => z.string().nullable().meta({ description })
const among = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  z.enum(values).meta({ description })
const list = <T extends z.ZodType>(of: T, max: number, description: string) => z.array(of).max(max).meta({ description })

const media = {
  url: link('Link to the file, valid for 24 hours, see `media.download`. Null with a sentence in `download_error`.'),
  mime_type: text(128, 'Type of the file, as the sender named it.'),
  file_size: whole('Bytes.'),
  download_error: nullable(256, 'Why there is no link.'),
}
const caption = nullable(65_536, 'Text below it.')
const size = { width: whole('Pixels.'), height: whole('Pixels.') }

const referenced = z
  .strictObject({
    message_id: id('Id of that message.'),
    from_me: flag('The account wrote it.'),
    phone: identifier('Its chat.'),
    participant: nullableIdentifier('Its author, in groups.'),
  })
  .meta({ id: 'ReferencedMessage', description: 'The message spoken about.' })
export type ReferencedMessage = z.output<typeof referenced>

const place = {
  latitude: number('Degrees.'),
  longitude: number('Degrees.'),
  name: nullable(256, 'Name of the place.'),
  address: nullable(1_024, 'Its address.'),
  url: nullable(2_048, 'A page about it.'),
}
const Location = z.strictObject(place)
export type ReceivedLocation = z.output<typeof Location>
const Contact = z
  .strictObject({
    display_name: text(256, 'Name on the card.'),
    vcard: text(16_384, 'The whole card, vCard 3.0.'),
    phones: list(z.string().regex(/^\d+$/), 10, 'Numbers on the card, digits.'),
  })
  .meta({ description: 'A contact card.' })
export type ReceivedContact = z.output<typeof Contact>

const Button = z
  .strictObject({
    id: text(256, 'Comes back in `buttons_response`.'),
    type: among(['reply', 'url', 'call', 'copy'], 'What a press does.'),
    label: text(60, 'What the button says.'),
    url: text(2_048, 'With `url`: the page.').optional(),
    phone: text(20, 'With `call`: the number.').optional(),
    code: text(1_024, 'With `copy`: the text.').optional(),
  })
  .meta({ id: 'ReceivedButton', description: 'A button of a message.' })
export type ReceivedButton = z.output<typeof Button>
const buttons = list(Button, 10, 'The buttons, in order.')
const frame = {
  message: text(4_096, 'Text of the message.'),
  title: nullable(256, 'Heading above the text.'),
  footer: nullable(256, 'Small print below it.'),
}
const links = {
  image_url: link('Picture of the header, valid for 24 hours.'),
  video_url: link('Film of the header, valid for 24 hours.'),
  document_url: link('Document of the header, valid for 24 hours.'),
}

const Section = z.strictObject({
  title: text(256, 'Heading of the section.'),
  options: list(
    z.strictObject({
      id: text(256, 'Comes back in `list_response`.'),
      title: text(256, 'The row.'),
      description: nullable(1_024, 'Second line of the row.'),
    }),
    100,
    'Rows of the section.',
  ),
})
export type ReceivedSection = z.output<typeof Section>
export type ReceivedRow = ReceivedSection['options'][number]

const orderCard = {
  currency: text(3, 'ISO 4217.'),
  reference_id: text(64, "The seller's own reference."),
  order_request_id: nullable(64, 'Id that the network gave the order.'),
  order_status: text(64, 'How the order stands.'),
  payment_status: nullable(64, 'How its payment stands.'),
  total: amount('Units of the currency.'),
  sub_total: amount('Before discount, shipping and tax.'),
  discount: amount('Taken off.'),
  shipping: amount('Added for shipping.'),
  tax: amount('Added for taxes.'),
  products: list(
    z.strictObject({
      name: text(256, 'Name of the line.'),
      quantity: number('How many of it.'),
      value: number('Price of one, in units of the currency.'),
      product_id: text(64, 'Id in the catalogue, or of the custom item.'),
      is_custom_item: flag('It is in no catalogue.'),
    }),
    100,
    'Lines of the order.',
  ),
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
  text: z
    .strictObject({
      message: text(65_536, 'The text, with the markup of the network.'),
      title: nullable(256, 'Title of the card of its link.'),
      description: nullable(1_024, 'Second line of that card.'),
      url: nullable(2_048, 'Where that card leads.'),
    })
    .meta({ description: 'A text.' }),
  image: z.strictObject({ ...media, caption, ...size }).meta({ description: 'An image.' }),
  video: z
    .strictObject({
      ...media,
      caption,
      seconds: whole('Length.'),
      ...size,
      gif: flag('Played in a loop, without sound.'),
      ptv: flag('A round video note.'),
    })
    .meta({ description: 'A video.' }),
  audio: z
    .strictObject({ ...media, ptt: flag('A voice note.'), seconds: whole('Length.') })
    .meta({ description: 'A sound or a voice note.' }),
  document: z
    .strictObject({
      ...media,
      file_name: nullable(255, 'Name of the file.'),
      title: nullable(256, 'Title of the document.'),
      caption,
      page_count: whole('Pages.'),
    })
    .meta({ description: 'A document.' }),
  sticker: z.strictObject({ ...media, animated: flag('It moves.'), ...size }).meta({ description: 'A sticker.' }),
  location: Location.meta({ description: 'A place.' }),
  live_location: z
    .strictObject({
      latitude: number('Degrees.'),
      longitude: number('Degrees.'),
      accuracy_meters: amount('How exact it is.'),
      speed_mps: amount('Metres per second.'),
      bearing_degrees: amount('Direction, clockwise from north.'),
      sequence: whole('Counts the updates.'),
      caption: nullable(1_024, 'Text below it.'),
    })
    .meta({ description: 'A place that is followed for a while.' }),
  contact: Contact,
  contacts: z.array(Contact).min(1).max(257).meta({ description: 'Several contact cards.' }),
  reaction: z
    .strictObject({
      value: text(64, 'The emoji. Empty: taken back.'),
      time: when('When it was given.'),
      reaction_by: identifier('Who reacted.'),
      referenced_message: referenced,
    })
    .meta({ description: 'A reaction to a message.' }),
  poll: z
    .strictObject({
      question: text(255, 'What is asked.'),
      options: list(z.string().max(100), 12, 'What can be chosen.'),
      poll_max_options: integer('How many one person may choose; 0: no limit.'),
    })
    .meta({ description: 'A poll.' }),
  poll_vote: z
    .strictObject({
      poll_message_id: id('The poll.'),
      options: list(z.string().max(100), 12, 'What was chosen, all of it. Empty: withdrawn.'),
      unknown_options: integer('Choices whose option is not known here.'),
    })
    .meta({ description: 'A vote; the last one counts.' }),
  buttons_response: z
    .strictObject({
      button_id: text(256, 'Id of the button that was pressed.'),
      message: text(1_024, 'Its label.'),
      carousel_card_index: whole('Card of the carousel, from 0.'),
    })
    .meta({ description: 'A reply button was pressed; `reference_message_id` is the message.' }),
  list_response: z
    .strictObject({
      selected_row_id: text(256, 'Id of the row that was chosen.'),
      title: text(256, 'The row.'),
      message: nullable(1_024, 'Its second line.'),
    })
    .meta({ description: 'A row of a list was chosen; `reference_message_id` is the message.' }),
  event: z
    .strictObject({
      name: text(256, 'What it is called.'),
      description: nullable(4_096, 'What it is about.'),
      canceled: flag('It does not take place.'),
      date_time: when('Start.'),
      end_date_time: when('End.'),
      join_link: nullable(2_048, 'Link of its call.'),
      extra_guests_allowed: flag('Guests may bring others.'),
      location: z
        .strictObject({
          name: nullable(256, 'Name of the place.'),
          address: nullable(1_024, 'Its address.'),
          latitude: amount('Degrees.'),
          longitude: amount('Degrees.'),
        })
        .nullable()
        .meta({ description: 'Where it takes place.' }),
    })
    .meta({ description: 'A calendar event.' }),
  event_response: z
    .strictObject({
      response: among(['going', 'not_going', 'maybe'], 'The answer.'),
      response_from: identifier('Who answered.'),
      time: when('When.'),
      referenced_message: referenced,
    })
    .meta({ description: 'An answer to a calendar event.' }),
  product: z
    .strictObject({
      product_id: text(64, 'Id in the catalogue.'),
      title: text(256, 'Name of the product.'),
      description: nullable(4_096, 'What it is.'),
      currency: text(3, 'ISO 4217.'),
      price: number('Units of the currency.'),
      sale_price: amount('Reduced price.'),
      retailer_id: nullable(128, "The seller's own id of it."),
      url: nullable(2_048, 'A page about it.'),
      product_image_count: integer('Pictures it has; none of them comes along.'),
      business_owner_phone: identifier('Whose catalogue it is.'),
    })
    .meta({ description: 'A product of a catalogue.' }),
  order: z
    .strictObject({
      order_id: text(64, 'Id of the order.'),
      token: text(512, 'Opens the order, see `business.order`.'),
      order_title: text(256, 'Title of the order.'),
      message: nullable(1_024, 'Text with the order.'),
      item_count: integer('Products in it.'),
      total: number('Units of the currency.'),
      currency: text(3, 'ISO 4217.'),
      order_status: among(['inquiry', 'accepted', 'declined'], 'How the order stands.'),
      seller_phone: identifier('Who sells.'),
    })
    .meta({ description: 'A cart somebody sent.' }),
  buttons: z.strictObject({ ...frame, ...links, buttons }).meta({ description: 'A text with buttons.' }),
  list: z
    .strictObject({
      ...frame,
      button_label: text(60, 'Label of the button that opens the list.'),
      sections: list(Section, 10, 'The list.'),
    })
    .meta({ description: 'A text with a list to choose from.' }),
  carousel: z
    .strictObject({
      message: text(4_096, 'Text above the cards.'),
      cards: list(
        z.strictObject({
          title: nullable(256, 'Heading of the card.'),
          text: nullable(4_096, 'Text of the card.'),
          footer: nullable(256, 'Small print of the card.'),
          image_url: link('Its picture, valid for 24 hours.'),
          video_url: link('Its film, valid for 24 hours.'),
          buttons,
        }),
        10,
        'The cards, in order.',
      ),
    })
    .meta({ description: 'Cards to swipe through.' }),
  hydrated_template: z
    .strictObject({
      ...frame,
      template_id: nullable(128, 'Id of the template.'),
      ...links,
      location: Location.nullable().meta({ description: 'Place of the header.' }),
      buttons,
    })
    .meta({ description: 'A template of a business.' }),
  pix_key: z
    .strictObject({
      currency: text(3, 'ISO 4217.'),
      reference_id: text(64, "The sender's own reference."),
      key: text(140, 'The Pix key.'),
      key_type: among(['cpf', 'cnpj', 'phone', 'email', 'evp'], 'What kind of key it is.'),
      merchant_name: nullable(256, 'Who is paid.'),
    })
    .meta({ description: 'A Pix key to copy.' }),
  review_and_pay: z
    .strictObject({ order_type: text(64, 'Kind of the order.'), ...orderCard })
    .meta({ description: 'An order to review and pay.' }),
  review_order: z.strictObject(orderCard).meta({ description: 'How an order stands.' }),
  request_payment: z
    .strictObject({
      value: number('Units of the currency.'),
      currency: text(3, 'ISO 4217.'),
      expires_at: when('Until when it can be paid.'),
      request_phone: identifier('Who asks.'),
      note: nullable(1_024, 'Text with it.'),
    })
    .meta({ description: 'Somebody asks to be paid.' }),
  send_payment: z
    .strictObject({
      value: amount('Units of the currency.'),
      currency: nullable(3, 'ISO 4217.'),
      receiver_phone: nullableIdentifier('Who is paid.'),
      status: nullable(64, 'How the payment stands.'),
      note: nullable(1_024, 'Text with it.'),
    })
    .meta({ description: 'Somebody paid.' }),
  newsletter_admin_invite: z
    .strictObject({
      newsletter_id: id('The channel.'),
      newsletter_name: text(256, 'Its name.'),
      text: nullable(1_024, 'Text of the invitation.'),
      expires_at: when('Until when it can be accepted.'),
    })
    .meta({ description: 'An invitation to run a channel.' }),
  newsletter_invite: z
    .strictObject({
      newsletter_id: id('The channel.'),
      newsletter_name: text(256, 'Its name.'),
      text: nullable(1_024, 'Text of the invitation.'),
    })
    .meta({ description: 'An invitation to follow a channel.' }),
  group_invite: z
    .strictObject({
      group_id: identifier('The group.'),
      group_name: text(256, 'Its name.'),
      invite_code: text(64, 'Code to join with, see `groups.acceptInvitation`.'),
      caption: nullable(1_024, 'Text of the invitation.'),
      expires_at: when('Until when it can be accepted.'),
    })
    .meta({ description: 'An invitation to a group.' }),
  pin: z
    .strictObject({
      action: among(['pin', 'unpin'], 'What was done.'),
      pin_duration_seconds: integer('How long it stays pinned.'),
      referenced_message: referenced,
    })
    .meta({ description: 'A message was pinned, or its pin taken off.' }),
  notification: z
    .enum(NOTIFICATIONS)
    .meta({ description: 'Something happened to the chat or the account; `notification_parameters` says about what.' }),
  unsupported: z
    .strictObject({ proto_type: text(64, 'Name of the content in the protocol.') })
    .meta({ description: 'Content that has no block yet.' }),
} satisfies Record<string, z.ZodType>

export type ReceivedBlocks = { [Name in keyof typeof receivedBlocks]: z.output<(typeof receivedBlocks)[Name]> }
/** Blocks that are no notification. */
export type BlockName = Exclude<keyof ReceivedBlocks, 'notification'>

/** Every value of `message_type`; the one without a block is a message that cannot be read yet. */
export const MESSAGE_TYPES = [...(Object.keys(receivedBlocks) as (keyof typeof receivedBlocks)[]), 'waiting_message'] as const

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

type Extras = z.output<z.ZodObject<typeof receivedExtras>>

/** The field of each notification, which no other has: shared/api/webhook-payloads.md, 2.5. */
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

/** The content of a message: the block that its type names, and no other. */
export type ReceivedContent =
  | { [Name in BlockName]: { message_type: Name } & Pick<ReceivedBlocks, Name> }[BlockName]
  | ({ message_type: 'notification' } & ReceivedNotification & Pick<Extras, 'notification_parameters'>)
  | { message_type: 'waiting_message'; waiting_message: true }

/** Fields that go with contents of several kinds, where they apply. */
export type ReceivedExtras = Partial<Pick<Extras, 'album_message_id' | 'external_ad_reply'>>
export type ExternalAdReply = Extras['external_ad_reply']
