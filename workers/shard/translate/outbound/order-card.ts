/**
 * Builds the card of an order. With the token of an order on the network, the card opens that order; otherwise it shows
 * the number of products and the total.
 */
import { proto } from '@whiskeysockets/baileys'
import { totalsOf } from '../../../../src/domain/amounts.ts'
import type { Order } from '../../../../src/features/send/orders.ts'
import { derivedOrderId } from './derived-id.ts'

const { OrderStatus, OrderSurface } = proto.Message.OrderMessage

interface Details {
  sellerJid: string
  token: string | undefined
  message: string | undefined
}

export function orderCard(messageId: string, order: Order, { sellerJid, token, message }: Details): proto.IMessage {
  const { products, title, currency, order_id } = order
  return proto.Message.fromObject({
    orderMessage: {
      orderId: order_id ?? derivedOrderId(messageId),
      itemCount: products.reduce((sum, { quantity }) => sum + quantity, 0),
      status: OrderStatus.INQUIRY,
      surface: OrderSurface.CATALOG,
      ...(message ? { message } : {}),
      orderTitle: title ?? products[0]?.name,
      sellerJid,
      ...(token === undefined ? {} : { token }),
      totalAmount1000: totalsOf(order).total * 10,
      totalCurrencyCode: currency,
      messageVersion: 1,
    },
  })
}
