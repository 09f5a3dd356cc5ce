import { z } from 'zod'
import { acknowledged, destination, messageId, oneOf, text } from '../fields.ts'
import { newOrder, paymentSettings, shownOrder } from './orders.ts'
import { send } from './queued.ts'

const catalogPhone = z
  .string()
  .regex(/^\d{5,20}$/, 'must be 5 to 20 digits')
  .meta({ description: 'Number of the business that owns the catalogue.', examples: ['5511900001111'] })

export const sendProduct = send('send.sendProduct', 'POST /send-product', {
  summary: 'Send a product of a catalogue',
  description: `Name, price and picture are read from the catalogue when the message is sent. Best effort.`,
  input: {
    phone: destination('user', 'group'),
    catalog_phone: catalogPhone,
    product_id: text(1, 64).meta({ description: 'Id of the product in the catalogue.' }),
  },
  examples: [
    {
      name: 'product',
      input: { phone: '5511988887777', catalog_phone: '5511900001111', product_id: '7190654897637620' },
      reply: acknowledged,
    },
  ],
})

export const sendCatalog = send('send.sendCatalog', 'POST /send-catalog', {
  summary: 'Send a link to a catalogue',
  description: 'Sends a text with the card of a catalogue. This works for any number, even if it has no catalogue.',
  input: {
    phone: destination('user', 'group'),
    catalog_phone: catalogPhone,
    message: text(1, 4_096)
      .optional()
      .meta({ description: 'Text above the link. Default: a sentence in the language of `translation`.' }),
    title: text(1, 256).optional().meta({ description: 'Title of the card. The default is like that of `message`.' }),
    catalog_description: text(1, 1_024)
      .optional()
      .meta({ description: 'Second line of the card. The default is like that of `message`.' }),
    translation: oneOf(['en', 'pt']).default('en').meta({ description: 'Language of the default texts.' }),
  },
  words: ({ message }) => message,
  examples: [
    {
      name: 'catalogue',
      input: { phone: '5511988887777', catalog_phone: '5511900001111', translation: 'en', title: 'Our catalogue' },
      reply: acknowledged,
    },
  ],
})

export const sendOrder = send('send.sendOrder', 'POST /send-order', {
  summary: 'Send an order',
  description:
    'Without `payment_settings` this sends an order card. With the `token` of an existing order on the network, the card opens that order; without it, the card shows ' +
    'only count and total. With `payment_settings` this sends a bill to review and pay, for business accounts. Best effort.',
  input: {
    phone: destination('user'),
    order: newOrder,
    token: text(1, 512).optional().meta({ description: 'Access token of an existing order; requires `order.order_id`.' }),
    message: text(0, 1_024).optional().meta({ description: 'Text with the order.' }),
    payment_settings: paymentSettings.optional(),
  },
  words: ({ message }) => message,
  check({ token, order, payment_settings }, issue) {
    if (token === undefined) return
    if (order.order_id === undefined) issue('order.order_id', 'is required with token')
    if (payment_settings !== undefined) issue('payment_settings', 'cannot be given together with token')
  },
  examples: [
    {
      name: 'order card',
      input: {
        phone: '5511988887777',
        token: 'AR5d4yUr+DmSzeCR2kUtPEeMfS==',
        order: {
          order_id: '422508169684569',
          currency: 'BRL',
          products: [{ name: 'Mug', value: 10.5, quantity: 2, product_id: '5338924696127051' }],
        },
      },
      reply: acknowledged,
    },
    {
      name: 'review and pay',
      input: {
        phone: '5511988887777',
        order: { currency: 'BRL', shipping: 5, products: [{ name: 'Mug', value: 10.5, quantity: 2 }] },
        payment_settings: { pix: { key: '12345678909', key_type: 'cpf', name: 'Example Inc.' } },
      },
      reply: acknowledged,
    },
  ],
})

export const orderStatusUpdate = send('send.orderStatusUpdate', 'POST /order-status-update', {
  summary: 'Send the status of an order',
  description: 'Only useful after an order that was sent with `payment_settings`. Best effort.',
  input: {
    phone: destination('user'),
    message_id: messageId.optional().meta({ description: 'Id of the order message to quote, instead of `reply_to_message_id`.' }),
    reference_id: text(1, 35).meta({ description: 'The `reference_id` of the order.' }),
    order_request_id: text(1, 64)
      .optional()
      .meta({ description: 'Id that the network gave the order, from the `received` event.' }),
    order_status: oneOf(['pending', 'processing', 'partially_shipped', 'shipped', 'completed', 'canceled']).meta({
      description: 'Status of the order.',
    }),
    payment_status: oneOf(['pending', 'paid'])
      .default('pending')
      .meta({ description: 'Status of the payment. It is only shown; it does not change the payment.', default: 'pending' }),
    message: text(0, 1_024).optional().meta({ description: 'Text with the status.' }),
    description: text(1, 120).optional().meta({ description: 'Short note in the card.' }),
    order: shownOrder.optional(),
  },
  words: ({ message }) => message,
  examples: [
    {
      name: 'shipped',
      input: {
        phone: '5511988887777',
        message_id: '3EB0F91BBA791BB0A787FC',
        reference_id: '4N8FCTW1WM6',
        order_status: 'shipped',
        message: 'On its way',
      },
      reply: acknowledged,
    },
  ],
})
