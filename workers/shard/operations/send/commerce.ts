import { Failure } from '../../../../src/domain/failures.ts'
import { assertBusiness } from '../../connection/identity.ts'
import { imageMessage } from '../../media/compose.ts'
import { assertOrder, catalogOwner, findProduct } from '../../send/compose/catalog.ts'
import { sendInteractive } from '../../send/compose/interactive.ts'
import { surroundings } from '../../send/context-info.ts'
import { resolveDestination } from '../../send/destination.ts'
import { sendMessage } from '../../send/relay.ts'
import { catalogLink } from '../../translate/outbound/catalog-link.ts'
import { payNodes } from '../../translate/outbound/native-flow.ts'
import { orderCard } from '../../translate/outbound/order-card.ts'
import { orderStatus, reviewAndPay } from '../../translate/outbound/payment.ts'
import { productCard } from '../../translate/outbound/product-card.ts'
import { bare } from '../../wire/jid.ts'
import type { Handlers } from '../types.ts'

export const commerce: Handlers<typeof import('../../../../src/features/send/commerce.ts')> = {
  async 'send.sendProduct'(context, input) {
    const to = await resolveDestination(context, input.phone)
    const { info } = await surroundings(context, to, { ...input, mentions: [] })
    const owner = await catalogOwner(context, input.catalog_phone).catch((error) => {
      // The code is replaced, because a caller that reads only codes would conclude that the recipient has no account.
      const isNobody = error instanceof Failure && error.code === 'phone_not_on_whatsapp'
      throw isNobody
        ? new Failure('product_not_found', { message: 'The phone number of the catalog has no WhatsApp account.' })
        : error
    })
    const product = await findProduct(context, owner, input.product_id)
    const [picture] = product.images
    const image = picture ? await imageMessage(context, to, { kind: 'url', url: picture }) : undefined
    return sendMessage(context, to, { content: { proto: productCard(product, owner, image) }, info })
  },

  async 'send.sendCatalog'(context, input) {
    const to = await resolveDestination(context, input.phone)
    const { text, linkPreview } = catalogLink(input.message, input)
    const around = await surroundings(context, to, input, text)
    return sendMessage(context, to, { content: { text: around.text, linkPreview }, info: around.info })
  },

  async 'send.sendOrder'(context, input) {
    const { session, item } = context
    const { order, token, message, payment_settings } = input
    if (payment_settings) {
      assertBusiness(session, 'Orders with payment settings need a business account.')
      return sendInteractive(context, input, {
        text: message ?? '',
        compose: (text) => reviewAndPay(item.messageId, order, payment_settings, text),
        nodes: payNodes('order_details'),
      })
    }
    const to = await resolveDestination(context, input.phone)
    const { text, info } = await surroundings(context, to, input, message)
    if (token !== undefined) await assertOrder(context, order.order_id ?? '', token)
    const sellerJid = bare(session.me?.id ?? '')
    return sendMessage(context, to, {
      content: { proto: orderCard(item.messageId, order, { sellerJid, token, message: text }) },
      info,
    })
  },

  async 'send.orderStatusUpdate'(context, { phone, message_id, reply_to_message_id, mentions, message, ...update }) {
    return sendInteractive(
      context,
      { phone, mentions, reply_to_message_id: message_id ?? reply_to_message_id },
      {
        text: message ?? '',
        compose: (text) => orderStatus(context.item.messageId, text, update),
        nodes: payNodes('order_status'),
      },
    )
  },
}
