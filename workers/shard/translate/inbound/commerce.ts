/**
 * Translates `product`, `order`, `request_payment` and `send_payment`. Fields whose names end in `1000` contain amounts
 * in thousandths.
 */
import { proto } from '@whiskeysockets/baileys'
import type { ReceivedBlocks } from '../../../../src/features/received/blocks.ts'
import type { PlainNotification } from '../../../../src/features/received/notifications.ts'
import { count, cutOrEmpty, cutOrNull, decimal, idOrNull, secondsToIso, thousandths } from '../../wire/bounds.ts'
import { block, type Family, identifier, notification } from './family.ts'
import { may } from './permissions.ts'

export const product: Family = async ({ message }, scene) => {
  const { product: shown, businessOwnerJid } = message.productMessage ?? {}
  if (!shown) return null
  const sale = thousandths(shown.salePriceAmount1000)
  return block('product', {
    product_id: cutOrEmpty(shown.productId, 64),
    title: cutOrEmpty(shown.title, 256),
    description: cutOrNull(shown.description, 4_096),
    currency: cutOrEmpty(shown.currencyCode, 3),
    price: thousandths(shown.priceAmount1000) ?? 0,
    // No product has the price 0. The value means that the field is not set.
    sale_price: sale || null,
    retailer_id: cutOrNull(shown.retailerId, 128),
    url: cutOrNull(shown.url, 2_048),
    product_image_count: count(shown.productImageCount) ?? 0,
    business_owner_phone: businessOwnerJid ? await identifier(scene, businessOwnerJid) : '',
  })
}

const { OrderStatus } = proto.Message.OrderMessage
const ORDER_STATUS: Readonly<Record<number, ReceivedBlocks['order']['order_status']>> = {
  [OrderStatus.INQUIRY]: 'inquiry',
  [OrderStatus.ACCEPTED]: 'accepted',
  [OrderStatus.DECLINED]: 'declined',
}

export const order: Family = async ({ message }, scene) => {
  const found = message.orderMessage
  if (!found) return null
  return block('order', {
    order_id: cutOrEmpty(found.orderId, 64),
    token: cutOrEmpty(found.token, 512),
    order_title: cutOrEmpty(found.orderTitle, 256),
    message: cutOrNull(found.message, 1_024),
    item_count: count(found.itemCount) ?? 0,
    total: thousandths(found.totalAmount1000) ?? 0,
    currency: cutOrEmpty(found.totalCurrencyCode, 3),
    order_status: ORDER_STATUS[found.status ?? 0] ?? 'inquiry',
    seller_phone: found.sellerJid ? await identifier(scene, found.sellerJid) : '',
  })
}

const noteOf = (note: proto.IMessage | null | undefined) =>
  cutOrNull(note?.extendedTextMessage?.text ?? note?.conversation, 1_024)

/** Converts an amount: `{ value: 1050, offset: 100 }` is 10.50. */
function money(amount: proto.IMoney | null | undefined): number | null {
  const value = decimal(amount?.value)
  return value === null ? null : value / (amount?.offset || 1)
}

export const requestPayment: Family = async ({ message }, scene) => {
  const found = message.requestPaymentMessage
  if (!found) return null
  return block('request_payment', {
    value: money(found.amount) ?? thousandths(found.amount1000) ?? 0,
    currency: cutOrEmpty(found.amount?.currencyCode || found.currencyCodeIso4217, 3),
    expires_at: secondsToIso(found.expiryTimestamp),
    request_phone: found.requestFrom ? await identifier(scene, found.requestFrom) : scene.phone,
    note: noteOf(found.noteMessage),
  })
}

const { Status } = proto.PaymentInfo

export const sendPayment: Family = async ({ message }, scene) => {
  const found = message.sendPaymentMessage
  if (!found) return null
  const { paymentInfo: info } = scene
  const status = info?.status ? Status[info.status] : undefined
  return block('send_payment', {
    value: money(info?.primaryAmount) ?? thousandths(info?.amount1000),
    currency: cutOrNull(info?.primaryAmount?.currencyCode ?? info?.currency, 3),
    receiver_phone: info?.receiverJid ? await identifier(scene, info.receiverJid) : null,
    status: cutOrNull(status?.toLowerCase(), 64),
    note: noteOf(found.noteMessage),
  })
}

const paymentNotice = (
  name: PlainNotification,
  keyOf: (message: proto.IMessage) => proto.IMessageKey | null | undefined,
): Family => {
  return async ({ message }, scene) => {
    const key = keyOf(message)
    if (!(await may('speakAbout', scene, key))) return null
    return notification({ notification: name }, [], { reference_message_id: idOrNull(key?.id) })
  }
}

export const paymentDeclined = paymentNotice(
  'payment_action_request_declined',
  ({ declinePaymentRequestMessage }) => declinePaymentRequestMessage?.key,
)

export const paymentCancelled = paymentNotice(
  'payment_action_request_cancelled',
  ({ cancelPaymentRequestMessage }) => cancelPaymentRequestMessage?.key,
)
