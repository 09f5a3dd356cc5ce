/** The card of a product, as its catalogue describes it. */
import { type Product, proto } from '@whiskeysockets/baileys'

/** Empty texts, and prices that the catalogue does not have, are left out. */
const present = <T extends Record<string, unknown>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && !Number.isNaN(value)))

/** The catalogue counts prices in thousandths already. */
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
