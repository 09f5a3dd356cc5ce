import * as v from 'valibot'
import { type Form, form } from './compose-form.ts'

const Order = v.object({
  order_id: v.string(),
  token: v.string(),
  title: v.optional(v.string(), 'Order'),
  message: v.optional(v.string()),
  item_count: v.optional(v.pipe(v.number(), v.integer()), 1),
  total: v.number(),
  currency: v.optional(v.string(), 'BRL'),
  status: v.optional(v.picklist(['inquiry', 'accepted', 'declined']), 'inquiry'),
  seller: v.optional(v.string()),
})

const Product = v.object({
  product_id: v.string(),
  title: v.string(),
  description: v.optional(v.string()),
  price: v.number(),
  sale_price: v.optional(v.number()),
  currency: v.optional(v.string(), 'BRL'),
  retailer_id: v.optional(v.string()),
  url: v.optional(v.string()),
  image_count: v.optional(v.pipe(v.number(), v.integer()), 1),
  owner: v.optional(v.string()),
  body: v.optional(v.string()),
})

const GroupInvite = v.object({
  group: v.string(),
  code: v.string(),
  name: v.optional(v.string(), 'Group'),
  caption: v.optional(v.string()),
  /** Seconds since 1970; by default three days from now. */
  expires_at: v.optional(v.number()),
})

const NewsletterAdminInvite = v.object({
  newsletter: v.string(),
  name: v.optional(v.string(), 'Newsletter'),
  caption: v.optional(v.string()),
  expires_at: v.optional(v.number()),
})

const ORDER_STATUS = { inquiry: 1, accepted: 2, declined: 3 }
const THREE_DAYS = 3 * 24 * 3600

const thousandths = (amount: number): number => Math.round(amount * 1000)

export const COMMERCE_FORMS: Record<string, Form> = {
  order: form('message.order', Order, (order, context) => ({
    message: {
      orderMessage: {
        orderId: order.order_id,
        token: order.token,
        orderTitle: order.title,
        message: order.message ?? null,
        itemCount: order.item_count,
        status: ORDER_STATUS[order.status],
        surface: 1,
        sellerJid: order.seller === undefined ? context.chat : context.jid(order.seller),
        totalAmount1000: thousandths(order.total),
        totalCurrencyCode: order.currency,
      },
    },
    type: 'media',
    mediaType: 'order',
  })),
  product: form('message.product', Product, (product, context) => ({
    message: {
      productMessage: {
        businessOwnerJid: product.owner === undefined ? context.chat : context.jid(product.owner),
        body: product.body ?? null,
        product: {
          productId: product.product_id,
          title: product.title,
          description: product.description ?? null,
          currencyCode: product.currency,
          priceAmount1000: thousandths(product.price),
          salePriceAmount1000: product.sale_price === undefined ? null : thousandths(product.sale_price),
          retailerId: product.retailer_id ?? null,
          url: product.url ?? null,
          productImageCount: product.image_count,
        },
      },
    },
    type: 'media',
    mediaType: 'product',
  })),
  group_invite: form('message.group_invite', GroupInvite, (invite, context) => ({
    message: {
      groupInviteMessage: {
        groupJid: invite.group,
        inviteCode: invite.code,
        inviteExpiration: invite.expires_at ?? inThreeDays(context.now()),
        groupName: invite.name,
        caption: invite.caption ?? null,
      },
    },
    type: 'text',
  })),
  newsletter_admin_invite: form('message.newsletter_admin_invite', NewsletterAdminInvite, (invite, context) => ({
    message: {
      newsletterAdminInviteMessage: {
        newsletterJid: invite.newsletter,
        newsletterName: invite.name,
        caption: invite.caption ?? null,
        inviteExpiration: invite.expires_at ?? inThreeDays(context.now()),
      },
    },
    type: 'text',
  })),
}

const inThreeDays = (now: number): number => Math.floor(now / 1000) + THREE_DAYS
