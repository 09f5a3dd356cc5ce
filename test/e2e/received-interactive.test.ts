/** Kinds of `received` that carry buttons, rows, cards and amounts, and the answers to them. shared/api/webhook-payloads.md, 2.3. */
import { after, before, test } from 'node:test'
import { ANA, ME, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory()
})
after(() => story.world.stop())

const flow = (name: string, params: object) => ({ name, buttonParamsJson: JSON.stringify(params) })
const native = (...buttons: object[]) => ({ nativeFlowMessage: { buttons, messageVersion: 1 } })
const send = (proto: object, type: string, block: unknown, more: object = {}) =>
  story.fromAna({ proto }, { message_type: type, [type]: block, ...more })
const noLinks = { image_url: null, video_url: null, document_url: null }

test('buttons, as a native flow and in the legacy form', async () => {
  await send(
    {
      interactiveMessage: {
        header: { title: 'Order' },
        body: { text: 'Did you like it?' },
        footer: { text: 'Thanks' },
        ...native(
          flow('quick_reply', { display_text: 'Yes', id: '1' }),
          flow('cta_url', { display_text: 'Site', url: 'https://x.example' }),
          flow('cta_call', { display_text: 'Call', phone_number: '+5511900001111' }),
          flow('cta_copy', { display_text: 'Copy', id: 'c', copy_code: '482913' }),
          { name: 'quick_reply', buttonParamsJson: '{"display_text":' },
          flow('no_such_button', { display_text: 'Hidden' }),
        ),
      },
    },
    'buttons',
    {
      message: 'Did you like it?',
      title: 'Order',
      footer: 'Thanks',
      ...noLinks,
      buttons: [
        { id: '1', type: 'reply', label: 'Yes' },
        { id: '2', type: 'url', label: 'Site', url: 'https://x.example' },
        { id: '3', type: 'call', label: 'Call', phone: '5511900001111' },
        { id: 'c', type: 'copy', label: 'Copy', code: '482913' },
        { id: '5', type: 'reply', label: '' },
      ],
    },
  )
  await send(
    {
      viewOnceMessage: {
        message: {
          buttonsMessage: {
            contentText: 'Yes or no?',
            footerText: 'Choose',
            headerType: 1,
            buttons: [{ buttonId: 'y', buttonText: { displayText: 'Yes' }, type: 1 }],
          },
        },
      },
    },
    'buttons',
    { message: 'Yes or no?', title: null, footer: 'Choose', ...noLinks, buttons: [{ id: 'y', type: 'reply', label: 'Yes' }] },
  )
})

test('list, as a native flow and in the legacy form', async () => {
  const rows = [
    { id: 'sales', title: 'Sales', description: 'New orders' },
    { id: 'help', title: 'Help', description: null },
  ]
  const block = {
    message: 'Pick a department',
    title: 'Hello',
    footer: null,
    button_label: 'Open',
    sections: [{ title: 'Departments', options: rows }],
  }
  await send(
    {
      interactiveMessage: {
        header: { title: 'Hello' },
        body: { text: 'Pick a department' },
        ...native(flow('single_select', { title: 'Open', sections: [{ title: 'Departments', rows }] })),
      },
    },
    'list',
    block,
  )
  await send(
    {
      listMessage: {
        title: 'Hello',
        description: 'Pick a department',
        buttonText: 'Open',
        listType: 1,
        sections: [
          {
            title: 'Departments',
            rows: [
              { rowId: 'sales', title: 'Sales', description: 'New orders' },
              { rowId: 'help', title: 'Help' },
            ],
          },
        ],
      },
    },
    'list',
    block,
  )
})

test('carousel and template', async () => {
  await send(
    {
      interactiveMessage: {
        body: { text: 'Our plans' },
        carouselMessage: {
          cards: [{ body: { text: 'Basic' }, ...native(flow('quick_reply', { display_text: 'Choose', id: 'b' })) }],
        },
      },
    },
    'carousel',
    {
      message: 'Our plans',
      cards: [
        {
          title: null,
          text: 'Basic',
          footer: null,
          image_url: null,
          video_url: null,
          buttons: [{ id: 'b', type: 'reply', label: 'Choose' }],
        },
      ],
    },
  )
  const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp482913'
  await send(
    {
      templateMessage: {
        hydratedTemplate: {
          hydratedContentText: 'Your code is 482913',
          templateId: '790118069824606',
          hydratedButtons: [
            { index: 0, urlButton: { displayText: 'Copy code', url } },
            { index: 1, quickReplyButton: { displayText: 'Stop', id: 'stop' } },
          ],
        },
      },
    },
    'hydrated_template',
    {
      message: 'Your code is 482913',
      title: null,
      footer: null,
      template_id: '790118069824606',
      ...noLinks,
      location: null,
      buttons: [
        { id: '0', type: 'copy', label: 'Copy code', code: '482913' },
        { id: 'stop', type: 'reply', label: 'Stop' },
      ],
    },
  )
})

test('a Pix key, an order to pay and its status', async () => {
  await send(
    {
      interactiveMessage: native(
        flow('payment_info', {
          currency: 'BRL',
          reference_id: '4PXRAHSIRDA',
          payment_settings: [
            { type: 'pix_static_code', pix_static_code: { merchant_name: 'Example Inc.', key: '12345678909', key_type: 'CPF' } },
          ],
        }),
      ),
    },
    'pix_key',
    { currency: 'BRL', reference_id: '4PXRAHSIRDA', key: '12345678909', key_type: 'cpf', merchant_name: 'Example Inc.' },
  )
  const cents = (value: number) => ({ value, offset: 100 })
  const product_id = 'custom-item-4N9AVI38WI1'
  await send(
    {
      interactiveMessage: native(
        flow('review_and_pay', {
          currency: 'BRL',
          reference_id: '4N9AVI38VOB',
          order_request_id: '4N9AVI38VYZ',
          type: 'physical-goods',
          payment_status: 'pending',
          total_amount: cents(2_600),
          order: {
            status: 'pending',
            subtotal: cents(2_100),
            discount: cents(0),
            shipping: cents(500),
            tax: cents(0),
            items: [{ name: 'Mug', quantity: 2, amount: cents(1_050), product_id, isCustomItem: true }],
          },
        }),
      ),
    },
    'review_and_pay',
    {
      order_type: 'physical-goods',
      currency: 'BRL',
      reference_id: '4N9AVI38VOB',
      order_request_id: '4N9AVI38VYZ',
      order_status: 'pending',
      payment_status: 'pending',
      total: 26,
      sub_total: 21,
      discount: 0,
      shipping: 5,
      tax: 0,
      products: [{ name: 'Mug', quantity: 2, value: 10.5, product_id, is_custom_item: true }],
    },
  )
  await send(
    {
      interactiveMessage: native(
        flow('review_order', { reference_id: '4N9AVI38VOB', payment_status: 'pending', order: { status: 'shipped' } }),
      ),
    },
    'review_order',
    {
      currency: '',
      reference_id: '4N9AVI38VOB',
      order_request_id: null,
      order_status: 'shipped',
      payment_status: 'pending',
      total: null,
      sub_total: null,
      discount: null,
      shipping: null,
      tax: null,
      products: [],
    },
  )
})

test('product, order and payments', async () => {
  await story.fromAna(
    {
      product: {
        product_id: '719',
        title: 'Mug',
        description: 'Blue',
        price: 10.5,
        retailer_id: 'SKU-1',
        image_count: 1,
        owner: ME,
      },
    },
    {
      message_type: 'product',
      product: {
        product_id: '719',
        title: 'Mug',
        description: 'Blue',
        currency: 'BRL',
        price: 10.5,
        sale_price: null,
        retailer_id: 'SKU-1',
        url: null,
        product_image_count: 1,
        business_owner_phone: ME,
      },
    },
  )
  await story.fromAna(
    { order: { order_id: '4225', token: 'AR5d4yUr==', title: 'Mug', item_count: 2, total: 21, seller: ME, status: 'accepted' } },
    {
      message_type: 'order',
      order: {
        order_id: '4225',
        token: 'AR5d4yUr==',
        order_title: 'Mug',
        message: null,
        item_count: 2,
        total: 21,
        currency: 'BRL',
        order_status: 'accepted',
        seller_phone: ME,
      },
    },
  )
  await send(
    {
      requestPaymentMessage: {
        currencyCodeIso4217: 'BRL',
        amount1000: 10_000,
        requestFrom: `${ANA}@s.whatsapp.net`,
        expiryTimestamp: 1_767_830_400,
        noteMessage: { extendedTextMessage: { text: 'Lunch' } },
      },
    },
    'request_payment',
    { value: 10, currency: 'BRL', expires_at: '2026-01-08T00:00:00.000Z', request_phone: ANA, note: 'Lunch' },
  )
  await send({ sendPaymentMessage: { noteMessage: { conversation: 'Here' } } }, 'send_payment', {
    value: null,
    currency: null,
    receiver_phone: null,
    status: null,
    note: 'Here',
  })
})

test('invitations', async () => {
  const newsletter = '120363166555745933@newsletter'
  await story.fromAna(
    { newsletter_admin_invite: { newsletter, name: 'News', caption: 'Join as admin', expires_at: 1_767_830_400 } },
    {
      message_type: 'newsletter_admin_invite',
      newsletter_admin_invite: {
        newsletter_id: newsletter,
        newsletter_name: 'News',
        text: 'Join as admin',
        expires_at: '2026-01-08T00:00:00.000Z',
      },
    },
  )
  await send(
    { newsletterFollowerInviteMessageV2: { newsletterJid: newsletter, newsletterName: 'News', caption: 'Follow us' } },
    'newsletter_invite',
    { newsletter_id: newsletter, newsletter_name: 'News', text: 'Follow us' },
  )
  await story.fromAna(
    { group_invite: { group: '120363019502650977@g.us', code: 'Abc123', name: 'Team', expires_at: 1_767_484_800 } },
    {
      message_type: 'group_invite',
      group_invite: {
        group_id: '120363019502650977-group',
        group_name: 'Team',
        invite_code: 'Abc123',
        caption: null,
        expires_at: '2026-01-04T00:00:00.000Z',
      },
    },
  )
})

test('answers to buttons, in every form', async () => {
  const contextInfo = { stanzaId: '3EB0EE97803A91FF2C0ED1', participant: `${ME}@s.whatsapp.net` }
  const answered = { reference_message_id: '3EB0EE97803A91FF2C0ED1' }
  const block = { button_id: '1', message: 'Yes', carousel_card_index: null }
  await send(
    { buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'Yes', type: 1, contextInfo } },
    'buttons_response',
    block,
    answered,
  )
  await send(
    { templateButtonReplyMessage: { selectedId: '1', selectedDisplayText: 'Yes', selectedCarouselCardIndex: 2, contextInfo } },
    'buttons_response',
    { ...block, carousel_card_index: 2 },
    answered,
  )
  const native = (name: string, paramsJson: string) => ({
    interactiveResponseMessage: {
      body: { text: 'Yes' },
      nativeFlowResponseMessage: { name, paramsJson, version: 3 },
      contextInfo,
    },
  })
  await send(
    native('quick_reply', '{"id":"1","carousel_card_index":0}'),
    'buttons_response',
    { ...block, carousel_card_index: 0 },
    answered,
  )
  await send(native('quick_reply', '{"id":'), 'buttons_response', { ...block, button_id: '' }, answered)
})

test('answers to lists, in every form', async () => {
  const answered = { reference_message_id: '3EB0EE97803A91FF2C0ED1' }
  const contextInfo = { stanzaId: '3EB0EE97803A91FF2C0ED1', participant: `${ME}@s.whatsapp.net` }
  const block = { selected_row_id: 'sales', title: 'Sales', message: 'New orders' }
  await send(
    {
      listResponseMessage: {
        title: 'Sales',
        description: 'New orders',
        listType: 1,
        singleSelectReply: { selectedRowId: 'sales' },
        contextInfo,
      },
    },
    'list_response',
    block,
    answered,
  )
  const rows = [{ id: 'sales', title: 'Sales', description: 'New orders' }]
  const quotedMessage = {
    interactiveMessage: { nativeFlowMessage: { buttons: [flow('single_select', { title: 'Open', sections: [{ rows }] })] } },
  }
  for (const [name, quote] of [
    ['menu_options', {}],
    ['anything', { quotedMessage }],
  ] as const)
    await send(
      {
        interactiveResponseMessage: {
          body: { text: 'Sales' },
          nativeFlowResponseMessage: { name, paramsJson: '{"id":"sales","description":"New orders"}', version: 3 },
          contextInfo: { ...contextInfo, ...quote },
        },
      },
      'list_response',
      block,
      answered,
    )
})
