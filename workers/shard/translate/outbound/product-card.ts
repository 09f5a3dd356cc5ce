/** Builds the card of a product, with the data of its catalogue. */
import { proto } from '@whiskeysockets/baileys'
import type { Product } from '../../wire/catalog.ts'

/** Omits empty texts, and prices that the catalogue does not have. */
const present = <T extends Record<string, unknown>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''))

/** Prices in the catalogue are already in thousandths. */
export const productCard = (
  { id, name, description, currency, price, retailerId, url }: Product,
  businessOwnerJid: string,
  productImage: proto.Message.IImageMessage | null | undefined,
): proto.IMessage =>
  proto.Message.fromObject({
    productMessage: {
      businessOwnerJid,
      product: {
        productId: id,
        ...present({
          productImage: productImage ?? undefined,
          title: name,
          description,
          currencyCode: currency,
          priceAmount1000: price,
          retailerId,
          url,
        }),
        productImageCount: productImage ? 1 : 0,
      },
    },
  })
