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
    id: text(256, 'Id that `buttons_response` returns.'),
    type: among(['reply', 'url', 'call', 'copy'], 'Action of the button.'),
    label: text(60, 'Text of the button.'),
    url: text(2_048, 'URL of the page; only for `url`.').optional(),
    phone: text(20, 'Number to call; only for `call`.').optional(),
    code: text(1_024, 'Text to copy; only for `copy`.').optional(),
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
  image_url: link('Link to the picture of the header, valid for 24 hours.'),
  video_url: link('Link to the video of the header, valid for 24 hours.'),
  document_url: link('Link to the document of the header, valid for 24 hours.'),
}

const Section = z.strictObject({
  title: text(256, 'Heading of the section.'),
  options: list(
    z.strictObject({
      id: text(256, 'Id that `list_response` returns.'),
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
  order_status: text(64, 'Status of the order.'),
  payment_status: nullable(64, 'Status of the payment.'),
  total: amount('Amount, in units of the currency.'),
  sub_total: amount('Sum before discount, shipping and tax.'),
  discount: amount('Taken off.'),
  shipping: amount('Amount added for shipping.'),
  tax: amount('Amount added for taxes.'),
  products: list(
    z.strictObject({
      name: text(256, 'Name of the line.'),
      quantity: number('Quantity.'),
      value: number('Price of one, in units of the currency.'),
      product_id: text(64, 'Id of the product in the catalogue, or of the custom item.'),
      is_custom_item: flag('Whether the item is not in a catalogue.'),
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
      carousel_card_index: whole('Index of the card in the carousel, starting at 0.'),
    })
    .meta({ description: 'A reply button was pressed; `reference_message_id` is the message.' }),
  list_response: z
    .strictObject({
      selected_row_id: text(256, 'Id of the row that was chosen.'),
      title: text(256, 'The row.'),
      message: nullable(1_024, 'Second line of the row.'),
    })
    .meta({ description: 'A row of a list was chosen; `reference_message_id` is the message.' }),
  flow_response: z
    .strictObject({
      name: text(128, 'Name of the flow on the network: `flow`, `galaxy_message`, `address_message`, `payment_method`.'),
      message: nullable(1_024, 'Text that apps show for the answer.'),
      params: z
        .looseObject({})
        .nullable()
        .meta({
          description:
            'Fields of the answer, as JSON. The flow defines them; at most 1,000 values, 16 levels and 65,536 characters of text. ' +
            'Null if the sender did not send a JSON object.',
        }),
    })
    .meta({ description: 'A form or flow of a business was answered; `reference_message_id` is the message.' }),
  product: z
    .strictObject({
      product_id: text(64, 'Id of the product in the catalogue.'),
      title: text(256, 'Name of the product.'),
      description: nullable(4_096, 'What it is.'),
      currency: text(3, 'ISO 4217.'),
      price: number('Amount, in units of the currency.'),
      sale_price: amount('Reduced price.'),
      retailer_id: nullable(128, "The seller's own id of the product."),
      url: nullable(2_048, 'URL of a page about the product.'),
      product_image_count: integer('Number of pictures of the product. The pictures are not included.'),
      business_owner_phone: identifier('Number of the business that owns the catalogue.'),
    })
    .meta({ description: 'A product of a catalogue.' }),
  order: z
    .strictObject({
      order_id: text(64, 'Id of the order.'),
      token: text(512, 'Token that opens the order, see `business.order`.'),
      order_title: text(256, 'Title of the order.'),
      message: nullable(1_024, 'Text with the order.'),
      item_count: integer('Number of products in the order.'),
      total: number('Amount, in units of the currency.'),
      currency: text(3, 'ISO 4217.'),
      order_status: among(['inquiry', 'accepted', 'declined'], 'Status of the order.'),
      seller_phone: identifier('Who sells.'),
    })
    .meta({ description: 'A person sent a cart.' }),
  buttons: z
    .strictObject({ ...frame, ...links, buttons })
    .meta({ description: 'A text with buttons. For texts of shops and collections `buttons` is empty.' }),
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
          image_url: link('Link to the picture of the card, valid for 24 hours.'),
          video_url: link('Link to the video of the card, valid for 24 hours.'),
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
      location: Location.nullable().meta({ description: 'Location in the header.' }),
      buttons,
    })
    .meta({ description: 'A template of a business.' }),
  pix_key: z
    .strictObject({
      currency: text(3, 'ISO 4217.'),
      reference_id: text(64, "The sender's own reference."),
      key: text(140, 'The Pix key.'),
      key_type: among(['cpf', 'cnpj', 'phone', 'email', 'evp'], 'Type of the key.'),
      merchant_name: nullable(256, 'Who is paid.'),
    })
    .meta({ description: 'A Pix key to copy.' }),
  review_and_pay: z
    .strictObject({ order_type: text(64, 'Kind of the order.'), ...orderCard })
    .meta({ description: 'An order to review and pay.' }),
  review_order: z.strictObject(orderCard).meta({ description: 'The status of an order.' }),
  request_payment: z
    .strictObject({
      value: number('Amount, in units of the currency.'),
      currency: text(3, 'ISO 4217.'),
      expires_at: when('Time until which it can be paid.'),
      request_phone: identifier('Who asks.'),
      note: nullable(1_024, 'Text with it.'),
    })
    .meta({ description: 'A person requests a payment.' }),
  send_payment: z
    .strictObject({
      value: amount('Amount, in units of the currency.'),
      currency: nullable(3, 'ISO 4217.'),
      receiver_phone: nullableIdentifier('Who is paid.'),
      status: nullable(64, 'Status of the payment.'),
      note: nullable(1_024, 'Text with it.'),
    })
    .meta({ description: 'Somebody paid.' }),
} satisfies Record<string, z.ZodType>
