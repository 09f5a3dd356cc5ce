/**
 * Builds messages about payment: a Pix card, a bill to review and pay, and the status of an order. Amounts are in
 * cents: `offset: 100`.
 */
import { type Totals, toCents, totalsOf } from '../../../../src/domain/amounts.ts'
import { type PixType, pixKey } from '../../../../src/domain/pix.ts'
import type { Order, PaymentSettings } from '../../../../src/features/send/orders.ts'
import { derivedReference } from './derived-id.ts'
import { type FlowButton, flow, flowButton, type Interactive } from './native-flow.ts'

const amount = (cents: number) => ({ value: cents, offset: 100 })

const GOODS = 'physical-goods'

interface Pix {
  key: string
  type: PixType
  name: string
}

const pixSetting = ({ key, type, name }: Pix) => ({
  type: 'pix_static_code',
  pix_static_code: { merchant_name: name, key, key_type: type.toUpperCase() },
})

const payment = (text: string, button: FlowButton): Interactive => ({ body: { text }, nativeFlowMessage: flow([button]) })

export const pixCard = (messageId: string, pix: Pix): Interactive => {
  const nothing = amount(0)
  return payment(
    '',
    flowButton('payment_info', {
      currency: 'BRL',
      total_amount: nothing,
      reference_id: derivedReference(messageId, 'reference'),
      type: GOODS,
      order: {
        status: 'pending',
        subtotal: nothing,
        order_type: 'ORDER',
        items: [{ name: '', amount: nothing, quantity: 0, sale_amount: nothing }],
      },
      payment_settings: [pixSetting(pix)],
      share_payment_status: false,
    }),
  )
}

const CUSTOM_ITEM = 'custom-item-'

function items(messageId: string, products: Order['products']) {
  return products.map(({ name, value, quantity, product_id, is_custom_item }, index) => {
    const id = product_id ?? CUSTOM_ITEM + derivedReference(messageId, `item ${index}`)
    return {
      retailer_id: id,
      product_id: id,
      name,
      amount: amount(toCents(value)),
      quantity,
      isCustomItem: is_custom_item ?? id.startsWith(CUSTOM_ITEM),
    }
  })
}

const amounts = ({ subtotal, discount, tax, shipping }: Totals) => ({
  subtotal: amount(subtotal),
  discount: amount(discount),
  tax: amount(tax),
  shipping: amount(shipping),
})

const settings = ({ pix, card }: PaymentSettings) => [
  // A bank accepts a Pix key only in the format of its type. Orders do not require this format, so a key that cannot be
  // converted is sent unchanged.
  ...(pix ? [pixSetting({ key: pixKey(pix.key_type, pix.key) ?? pix.key, type: pix.key_type, name: pix.name })] : []),
  ...(card ? [{ type: 'cards', cards: { enabled: card.enabled } }] : []),
]

export function reviewAndPay(messageId: string, order: Order, payable: PaymentSettings, note: string | undefined): Interactive {
  const totals = totalsOf(order)
  return payment(
    '',
    flowButton('review_and_pay', {
      currency: order.currency,
      total_amount: amount(totals.total),
      reference_id: order.reference_id ?? derivedReference(messageId, 'reference'),
      order_request_id: order.order_id ?? derivedReference(messageId, 'order request'),
      type: GOODS,
      order: { status: 'pending', ...amounts(totals), order_type: 'ORDER', items: items(messageId, order.products) },
      payment_settings: settings(payable),
      ...(note ? { additional_note: note } : {}),
    }),
  )
}

export interface OrderStatus {
  reference_id: string
  order_request_id?: string | undefined
  order_status: string
  payment_status: string
  description?: string | undefined
  order?: Order | undefined
}

export function orderStatus(messageId: string, text: string, update: OrderStatus): Interactive {
  const { reference_id, order_request_id, order_status, payment_status, description, order } = update
  const totals = order && totalsOf(order)
  return payment(
    text,
    flowButton('review_order', {
      reference_id,
      ...(order_request_id === undefined ? {} : { order_request_id }),
      ...(order && totals ? { currency: order.currency, total_amount: amount(totals.total) } : {}),
      order: {
        status: order_status,
        ...(description === undefined ? {} : { description }),
        ...(order && totals ? { ...amounts(totals), order_type: 'ORDER', items: items(messageId, order.products) } : {}),
      },
      payment_status,
    }),
  )
}
