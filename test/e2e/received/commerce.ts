/** Test functions (`Tell` in `story.ts`) about received products, orders, payments and invitations. */
import { ANA, ME, type Story, type Tell } from './story.ts'

const flow = (name: string, params: object) => ({ name, buttonParamsJson: JSON.stringify(params) })
const native = (...buttons: object[]) => ({ nativeFlowMessage: { buttons, messageVersion: 1 } })
const send = (story: Story, proto: object, type: string, block: unknown) =>
  story.fromAna({ proto }, { message_type: type, [type]: block })
const newsletter = '120363166555745933@newsletter'
const cents = (value: number) => ({ value, offset: 100 })
const product_id = 'custom-item-4N9AVI38WI1'

export const commerce = {
  async pix_key(story) {
    await send(
      story,
      {
        interactiveMessage: native(
          flow('payment_info', {
            currency: 'BRL',
            reference_id: '4PXRAHSIRDA',
            payment_settings: [
              {
                type: 'pix_static_code',
                pix_static_code: { merchant_name: 'Example Inc.', key: '12345678909', key_type: 'CPF' },
              },
            ],
          }),
        ),
      },
      'pix_key',
      { currency: 'BRL', reference_id: '4PXRAHSIRDA', key: '12345678909', key_type: 'cpf', merchant_name: 'Example Inc.' },
    )
  },

  async review_and_pay(story) {
    await send(
      story,
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
  },

  async review_order(story) {
    await send(
      story,
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
  },

  async product(story) {
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
  },

  async order(story) {
    await story.fromAna(
      {
        order: { order_id: '4225', token: 'AR5d4yUr==', title: 'Mug', item_count: 2, total: 21, seller: ME, status: 'accepted' },
      },
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
  },

  async request_payment(story) {
    await send(
      story,
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
  },

  async send_payment(story) {
    await send(story, { sendPaymentMessage: { noteMessage: { conversation: 'Here' } } }, 'send_payment', {
      value: null,
      currency: null,
      receiver_phone: null,
      status: null,
      note: 'Here',
    })
  },

  async newsletter_admin_invite(story) {
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
  },

  async newsletter_invite(story) {
    await send(
      story,
      { newsletterFollowerInviteMessageV2: { newsletterJid: newsletter, newsletterName: 'News', caption: 'Follow us' } },
      'newsletter_invite',
      { newsletter_id: newsletter, newsletter_name: 'News', text: 'Follow us' },
    )
  },

  async group_invite(story) {
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
  },
} satisfies Record<string, Tell>
