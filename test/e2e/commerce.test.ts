import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { column, columns } from '../harness/columns.ts'
import { chatOf } from '../harness/places.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990002'
const ANA = '5511988880021'
const SHOP = '5511988880022'

const stage = await startStage(ME, { platform: 'smba' })
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createContact(SHOP, { name: 'Shop', business: true })
const { id } = await sandbox.createGroup({ subject: 'Buyers', owner: ANA, participants: [ANA, ME] })
const group = chatOf(id)
after(() => stage.world.stop())

const interactiveOf = (proto: Json) => proto.interactiveMessage as Json
function buttonOf(proto: Json): { name: string; params: Json } {
  const flow = interactiveOf(proto).nativeFlowMessage as { buttons: { name: string; buttonParamsJson: string }[] }
  const [button, ...others] = flow.buttons
  assert.ok(button)
  assert.deepEqual(others, [])
  return { name: button.name, params: JSON.parse(button.buttonParamsJson) as Json }
}
const cents = (value: number) => ({ value, offset: 100 })

test('a catalogue is a text with the card of its link, in the language asked for', async () => {
  const { proto, text } = await stage.shown('/send-catalog', { phone: ANA, catalog_phone: '5511900001111' })
  const card = proto.extendedTextMessage as Json
  const url = 'https://wa.me/c/5511900001111'
  assert.equal(text, `Follow this link to view our catalogue on WhatsApp:\n${url}`)
  assert.equal(card.matchedText, url)
  assert.equal(card.title, 'View our catalogue on WhatsApp')
  assert.equal(card.description, 'Learn more about our products and services.')
  const { proto: portuguese } = await stage.shown('/send-catalog', { phone: ANA, catalog_phone: '55119', translation: 'PT' })
  assert.equal((portuguese.extendedTextMessage as Json).title, 'Veja nosso catálogo no WhatsApp')
})

test("a catalogue can have the caller's own words, in groups too", async () => {
  const { proto } = await stage.shown(
    '/send-catalog',
    {
      phone: group,
      catalog_phone: '5511900001111',
      message: `@${ANA} look`,
      title: 'Our catalogue',
      catalog_description: 'Mugs',
      mentions: [ANA],
    },
    ANA,
  )
  const { text, title, description, contextInfo } = proto.extendedTextMessage as { contextInfo: Json } & Json
  const [mentioned] = contextInfo.mentionedJid as string[]
  assert.equal(text, `@${mentioned?.split('@')[0]} look\nhttps://wa.me/c/5511900001111`)
  assert.equal(title, 'Our catalogue')
  assert.equal(description, 'Mugs')
})

test('a product of a number without account is not found: it is not the recipient who has none', async () => {
  const wanted = { product_id: '7190654897637620', catalog_phone: '5511988880000' }
  const ofNobody = await stage.outcome('/send-product', { phone: ANA, ...wanted })
  assert.deepEqual(
    [ofNobody.error_code, ofNobody.error_message],
    ['product_not_found', 'The phone number of the catalog has no WhatsApp account.'],
  )
  const toNobody = await stage.outcome('/send-product', { ...wanted, phone: '5511988880000', catalog_phone: SHOP })
  assert.equal(toNobody.error_code, 'phone_not_on_whatsapp')
})

const mugs = { name: 'Mug', value: 10.5, quantity: 2 }
const plate = { name: 'Plate', value: 0.29, quantity: 3, product_id: '5338924696127051' }
const order = { currency: 'brl', products: [mugs, plate], discount: 1.1, tax: 0.7, shipping: 5 }

test('an order without payment is a card with count and total', async () => {
  const { proto, nodes } = await stage.shown('/send-order', { phone: ANA, order, message: 'Your order' })
  const { orderId, ...card } = proto.orderMessage as Json
  assert.match(String(orderId), /^\d{15}$/)
  assert.deepEqual(card, {
    itemCount: 5,
    status: 'INQUIRY',
    surface: 'CATALOG',
    message: 'Your order',
    orderTitle: 'Mug',
    sellerJid: `${ME}@s.whatsapp.net`,
    // The total is 21.00 + 0.87 - 1.10 + 0.70 + 5.00.
    totalAmount1000: '26470',
    totalCurrencyCode: 'BRL',
    messageVersion: 1,
  })
  assert.deepEqual(nodes, [])
})

test('the token of an order of the network is checked, and opens it', async () => {
  const token = 'AR5d4yUr+DmSzeCR2kUtPEeMfS=='
  await stage.world.sandbox.business(SHOP, {
    orders: [
      { id: '422508169684569', token, currency: 'BRL', items: [{ product_id: '1', name: 'Mug', price: 10.5, quantity: 2 }] },
    ],
  })
  const known = { ...order, order_id: '422508169684569', title: 'Breakfast' }
  const { proto } = await stage.shown('/send-order', { phone: ANA, order: known, token })
  const card = proto.orderMessage as Json
  assert.equal(card.token, token)
  assert.equal(card.orderId, '422508169684569')
  assert.equal(card.orderTitle, 'Breakfast')
  const wrongToken = await stage.outcome('/send-order', { phone: ANA, order: known, token: 'AAAA' })
  assert.equal(wrongToken.error_code, 'order_not_found')
  const unknown = await stage.outcome('/send-order', { phone: ANA, order: { ...order, order_id: '1' }, token })
  assert.equal(unknown.error_code, 'order_not_found')
})

test('an order with payment lists every item, its amounts in cents', async () => {
  const { proto, nodes } = await stage.shown('/send-order', {
    phone: ANA,
    order,
    message: 'Thank you',
    payment_settings: { pix: { key: '12345678909', key_type: 'CPF', name: 'Example Inc.' }, card: { enabled: true } },
  })
  assert.deepEqual(interactiveOf(proto).body, { text: '' })
  const { name, params } = buttonOf(proto)
  assert.equal(name, 'review_and_pay')
  const { reference_id, order_request_id, order: shown, ...rest } = params as Json & { order: { items: Json[] } & Json }
  assert.match(String(reference_id), /^[0-9A-Z]{11}$/)
  assert.match(String(order_request_id), /^[0-9A-Z]{11}$/)
  assert.notEqual(reference_id, order_request_id)
  assert.deepEqual(rest, {
    currency: 'BRL',
    total_amount: cents(2_647),
    type: 'physical-goods',
    payment_settings: [
      { type: 'pix_static_code', pix_static_code: { merchant_name: 'Example Inc.', key: '12345678909', key_type: 'CPF' } },
      { type: 'cards', cards: { enabled: true } },
    ],
    additional_note: 'Thank you',
  })
  const { items, ...totals } = shown
  assert.deepEqual(totals, {
    status: 'pending',
    subtotal: cents(2_187),
    discount: cents(110),
    tax: cents(70),
    shipping: cents(500),
    order_type: 'ORDER',
  })
  const [first, second] = items
  const { retailer_id, product_id, ...mug } = first!
  assert.match(String(product_id), /^custom-item-[0-9A-Z]{11}$/)
  assert.equal(retailer_id, product_id)
  assert.deepEqual(mug, { name: 'Mug', amount: cents(1_050), quantity: 2, isCustomItem: true })
  assert.deepEqual(second, {
    retailer_id: '5338924696127051',
    product_id: '5338924696127051',
    name: 'Plate',
    amount: cents(29),
    quantity: 3,
    isCustomItem: false,
  })
  assert.deepEqual(nodes, [{ tag: 'biz', attrs: { native_flow_name: 'order_details' } }])
})

test('an order keeps the references it was given', async () => {
  const { proto } = await stage.shown('/send-order', {
    phone: ANA,
    order: { ...order, reference_id: '4N8FCTW1WM6', order_id: '4N9AVI38VYZ' },
    payment_settings: { card: { enabled: false } },
  })
  const { reference_id, order_request_id, additional_note, payment_settings } = buttonOf(proto).params
  assert.equal(reference_id, '4N8FCTW1WM6')
  assert.equal(order_request_id, '4N9AVI38VYZ')
  assert.equal(additional_note, undefined)
  assert.deepEqual(payment_settings, [{ type: 'cards', cards: { enabled: false } }])
})

test('how an order stands is told alone, or with the order, and quotes it', async () => {
  const sent = await stage.shown('/send-order', { phone: ANA, order, payment_settings: { card: { enabled: true } } })
  const other = await stage.shown('/send-text', { phone: ANA, message: 'Thank you' })
  const { proto, nodes } = await stage.shown('/order-status-update', {
    phone: ANA,
    message_id: sent.id,
    reference_id: '4N8FCTW1WM6',
    order_status: 'SHIPPED',
    message: `On its way, @${ANA}`,
    description: 'By bike',
    mentions: [ANA],
    // Both the request and the stored order contain the id of a message to quote. The message of the stored order is
    // used.
    reply_to_message_id: other.id,
  })
  const interactive = interactiveOf(proto) as { body: Json; contextInfo: Json }
  assert.deepEqual(interactive.body, { text: `On its way, @${ANA}` })
  assert.deepEqual(interactive.contextInfo.mentionedJid, [`${ANA}@s.whatsapp.net`])
  assert.equal(interactive.contextInfo.stanzaId, sent.id)
  assert.ok(JSON.stringify(interactive.contextInfo.quotedMessage).includes('review_and_pay'))
  assert.deepEqual(buttonOf(proto), {
    name: 'review_order',
    params: {
      reference_id: '4N8FCTW1WM6',
      order: { status: 'shipped', description: 'By bike' },
      payment_status: 'pending',
    },
  })
  assert.deepEqual(nodes, [{ tag: 'biz', attrs: { native_flow_name: 'order_status' } }])

  const whole = await stage.shown('/order-status-update', {
    phone: ANA,
    reference_id: '4N8FCTW1WM6',
    order_request_id: '4N9AVI38VYZ',
    order_status: 'completed',
    payment_status: 'paid',
    order: {
      ...order,
      products: [
        { ...plate, is_custom_item: true },
        { ...mugs, product_id: 'custom-item-1' },
      ],
    },
  })
  assert.deepEqual(interactiveOf(whole.proto).body, { text: '' })
  const { params } = buttonOf(whole.proto)
  const { items, ...totals } = params.order as { items: Json[] } & Json
  assert.equal(params.order_request_id, '4N9AVI38VYZ')
  assert.equal(params.payment_status, 'paid')
  assert.equal(params.currency, 'BRL')
  assert.deepEqual(params.total_amount, cents(2_647))
  assert.deepEqual(totals, {
    status: 'completed',
    subtotal: cents(2_187),
    discount: cents(110),
    tax: cents(70),
    shipping: cents(500),
    order_type: 'ORDER',
  })
  assert.deepEqual(columns(items, 'product_id', 'isCustomItem'), [
    ['5338924696127051', true],
    ['custom-item-1', true],
  ])
})

test('the ids the service made up come back in the own message, when those are reported', async () => {
  const { world, instance } = stage
  await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: true })
  const { id, proto } = await stage.shown('/send-order', { phone: ANA, order, payment_settings: { card: { enabled: true } } })
  const own = await world.receiver.waitFor(`own ${id}`, ({ type, message_id }) => type === 'received' && message_id === id)
  await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: false })
  const { reference_id, order_request_id, order: shown } = buttonOf(proto).params as Json & { order: { items: Json[] } }
  const { products, ...card } = own.review_and_pay as { products: Json[] } & Json
  assert.equal(own.from_api, true)
  assert.deepEqual(card, {
    order_type: 'physical-goods',
    currency: 'BRL',
    reference_id,
    order_request_id,
    order_status: 'pending',
    payment_status: 'pending',
    total: 26.47,
    sub_total: 21.87,
    discount: 1.1,
    shipping: 5,
    tax: 0.7,
  })
  assert.deepEqual(products, [
    { name: 'Mug', quantity: 2, value: 10.5, product_id: shown.items[0]?.product_id, is_custom_item: true },
    { name: 'Plate', quantity: 3, value: 0.29, product_id: '5338924696127051', is_custom_item: false },
  ])
})

test('a status of an order that is not remembered ends in message_not_found', async () => {
  const delivery = await stage.outcome('/order-status-update', {
    phone: ANA,
    message_id: '3EB0000000000000000000',
    reference_id: '4N8FCTW1WM6',
    order_status: 'shipped',
  })
  assert.equal(delivery.error_code, 'message_not_found')
})

const withOrder = (changes: Json, more: Json = {}) => ({ phone: ANA, order: { ...order, ...changes }, ...more })
const withProduct = (changes: Json) => withOrder({ products: [{ ...mugs, ...changes }] })
const pix = { key: '1', key_type: 'cpf', name: 'a' }
const status = (changes: Json) => ({ phone: ANA, reference_id: 'A', order_status: 'shipped', ...changes })
const x = (length: number) => 'x'.repeat(length)

const REFUSALS: [why: string, path: string, input: Json, at: string][] = [
  ['no product', '/send-order', withOrder({ products: [] }), 'order.products'],
  ['101 products', '/send-order', withOrder({ products: Array.from({ length: 101 }, () => mugs) }), 'order.products'],
  ['a currency of 4 letters', '/send-order', withOrder({ currency: 'BRLL' }), 'order.currency'],
  ['a product without name', '/send-order', withProduct({ name: undefined }), 'order.products.0.name'],
  ['a price with 3 decimals', '/send-order', withProduct({ value: 1.005 }), 'order.products.0.value'],
  ['a price below 0', '/send-order', withProduct({ value: -1 }), 'order.products.0.value'],
  ['a price above the bound', '/send-order', withProduct({ value: 1_000_000_001 }), 'order.products.0.value'],
  ['a price that is text', '/send-order', withProduct({ value: '10' }), 'order.products.0.value'],
  ['no piece', '/send-order', withProduct({ quantity: 0 }), 'order.products.0.quantity'],
  ['100,000 pieces', '/send-order', withProduct({ quantity: 100_000 }), 'order.products.0.quantity'],
  ['a product id of 65', '/send-order', withProduct({ product_id: x(65) }), 'order.products.0.product_id'],
  ['a discount below 0', '/send-order', withOrder({ discount: -1 }), 'order.discount'],
  ['a total below 0', '/send-order', withOrder({ discount: 100 }), 'order'],
  ['a reference in lower case', '/send-order', withOrder({ reference_id: 'abc' }), 'order.reference_id'],
  ['a reference of 36', '/send-order', withOrder({ reference_id: 'A'.repeat(36) }), 'order.reference_id'],
  ['an order id of 65', '/send-order', withOrder({ order_id: x(65) }), 'order.order_id'],
  ['a token without order id', '/send-order', withOrder({}, { token: 'AAAA' }), 'order.order_id'],
  [
    'a token and payment',
    '/send-order',
    withOrder({ order_id: '1' }, { token: 'AAAA', payment_settings: { pix } }),
    'payment_settings',
  ],
  ['payment by nothing', '/send-order', withOrder({}, { payment_settings: {} }), 'payment_settings'],
  [
    'a Pix without name',
    '/send-order',
    withOrder({}, { payment_settings: { pix: { ...pix, name: undefined } } }),
    'payment_settings.pix.name',
  ],
  [
    'a Pix of another type',
    '/send-order',
    withOrder({}, { payment_settings: { pix: { ...pix, key_type: 'iban' } } }),
    'payment_settings.pix.key_type',
  ],
  [
    'a card that is not said to be on',
    '/send-order',
    withOrder({}, { payment_settings: { card: {} } }),
    'payment_settings.card.enabled',
  ],
  ['a number of 4 digits', '/send-catalog', { phone: ANA, catalog_phone: '1234' }, 'catalog_phone'],
  ['another language', '/send-catalog', { phone: ANA, catalog_phone: '12345', translation: 'es' }, 'translation'],
  ['a total below 0', '/order-status-update', status({ order: { ...order, discount: 100 } }), 'order'],
]
for (const [why, path, input, at] of REFUSALS)
  test(`${path} refuses ${why}`, async () => {
    assert.deepEqual(column(await stage.refused(path, input), 'path'), [at])
  })

test('orders go to people only', async () => {
  for (const [path, input] of [
    ['/send-order', withOrder({})],
    ['/order-status-update', status({})],
  ] as const) {
    const { status, body } = await stage.world.gateway.ask(stage.instance, 'POST', path, { ...input, phone: group })
    assert.equal(status, 400)
    assert.equal((body.error as { code: string }).code, 'invalid_phone')
  }
})

test('an order to pay needs a business account', async () => {
  const person = await startStage('5511999990003')
  try {
    await person.world.sandbox.createContact(ANA)
    const { error_code } = await person.outcome('/send-order', withOrder({}, { payment_settings: { card: { enabled: true } } }))
    assert.equal(error_code, 'not_allowed')
    const card = await person.shown('/send-order', withOrder({}))
    assert.ok(card.proto.orderMessage)
  } finally {
    await person.world.stop()
  }
})
