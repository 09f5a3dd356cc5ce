import { cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { amountOf, type Json, numberOf, object, objects, textOf } from '../../wire/json.ts'
import { block, type Translated } from './family.ts'

const MAX_PRODUCTS = 100
const KEY_TYPES = ['cpf', 'cnpj', 'phone', 'email', 'evp'] as const

export function pixKey(params: Json): Translated | null {
  const setting = objects(params.payment_settings).find(({ type }) => type === 'pix_static_code')
  const code = object(setting?.pix_static_code)
  const named = (textOf(code.key_type) ?? '').toLowerCase()
  const type = KEY_TYPES.find((each) => each === named)
  if (!type) return null
  return block('pix_key', {
    currency: currency(params),
    reference_id: cutOrEmpty(textOf(params.reference_id), 64),
    key: cutOrEmpty(textOf(code.key), 140),
    key_type: type,
    merchant_name: cutOrNull(textOf(code.merchant_name), 256),
  })
}

export const reviewAndPay = (params: Json): Translated =>
  block('review_and_pay', { order_type: cutOrEmpty(textOf(params.type), 64), ...card(params) })

export const reviewOrder = (params: Json): Translated => block('review_order', card(params))

const currency = (params: Json) => cutOrEmpty(textOf(params.currency), 3)

function card(params: Json) {
  const order = object(params.order)
  return {
    currency: currency(params),
    reference_id: cutOrEmpty(textOf(params.reference_id), 64),
    order_request_id: cutOrNull(textOf(params.order_request_id), 64),
    order_status: cutOrEmpty(textOf(order.status), 64),
    // A bill has this field only after it was paid; the event always has it.
    payment_status: cutOrEmpty(textOf(params.payment_status) ?? 'pending', 64),
    total: amountOf(params.total_amount),
    sub_total: amountOf(order.subtotal),
    discount: amountOf(order.discount),
    shipping: amountOf(order.shipping),
    tax: amountOf(order.tax),
    products: objects(order.items)
      .slice(0, MAX_PRODUCTS)
      .map((item) => {
        const productId = textOf(item.product_id) ?? textOf(item.retailer_id) ?? ''
        return {
          name: cutOrEmpty(textOf(item.name), 256),
          quantity: numberOf(item.quantity) ?? 1,
          value: amountOf(item.amount) ?? 0,
          product_id: cutOrEmpty(productId, 64),
          is_custom_item: item.isCustomItem === true || productId.startsWith('custom-item-'),
        }
      }),
  }
}
