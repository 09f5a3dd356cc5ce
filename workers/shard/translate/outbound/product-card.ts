import { proto } from '@whiskeysockets/baileys'
import type { Product } from '../../wire/catalog.ts'

const present = <T extends Record<string, unknown>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''))

/** Builds the card of a product. Prices in the catalog are already in thousandths, as the card needs them. */
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
