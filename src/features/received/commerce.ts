/** Blocks of what businesses send, of what their buttons and lists are answered with, and of payments. */
import { z } from 'zod'
import {
  among,
  amount,
  flag,
  identifier,
  integer,
  Location,
  link,
  list,
  nullable,
  nullableIdentifier,
  number,
  text,
  when,
  whole,
} from './described.ts'

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

export const commerceBlocks = {
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
  flow_response: z
    .strictObject({
      name: text(128, 'Name of the flow, as the network has it: `flow`, `galaxy_message`, `address_message`, `payment_method`.'),
      message: nullable(1_024, 'What apps show of the answer.'),
      params: z
        .looseObject({})
        .nullable()
        .meta({
          description:
            'What was filled in: JSON whose fields belong to the flow, at most 1,000 values, 16 levels and 65,536 characters of text. ' +
            'Null when the sender wrote no JSON object.',
        }),
    })
    .meta({ description: 'A form or flow of a business was answered; `reference_message_id` is the message.' }),
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
  buttons: z
    .strictObject({ ...frame, ...links, buttons })
    .meta({ description: 'A text with buttons. Texts of shops and collections have none: `buttons` is empty.' }),
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
} satisfies Record<string, z.ZodType>
