/** Builds the card of a product, with the data of its catalogue. */
import { type Product, proto } from '@whiskeysockets/baileys'

/** Omits empty texts, and prices that the catalogue lacks. */
const present = <T extends Record<string, unknown>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && !Number.isNaN(value)))

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
