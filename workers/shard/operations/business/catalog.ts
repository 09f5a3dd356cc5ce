import { Failure } from '../../../../src/domain/failures.ts'
import type { MediaInput } from '../../../../src/domain/media.ts'
import type { InputOfEndpoint } from '../../../../src/features/endpoint.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { assertBusiness } from '../../connection/identity.ts'
import { productPicture } from '../../media/product-picture.ts'
import { findProduct } from '../../send/compose/catalog.ts'
import { cut, cutOrNull, MAX_NAME } from '../../wire/bounds.ts'
import { cartIn, cartQuery } from '../../wire/business-profile.ts'
import {
  addProductQuery,
  catalogQuery,
  deletedCountIn,
  deleteProductQuery,
  editProductQuery,
  orderIn,
  orderQuery,
  type Product,
  type ProductDetails,
  productIn,
  productPageIn,
  productVisibilityQuery,
} from '../../wire/catalog.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { accountOf, ownAccount, ownerOf } from './accounts.ts'
import { productObject, shownCursor, shownId, units } from './catalog-objects.ts'

const DONE = { value: true } as const

const NOT_THERE = 404
const NOT_OURS = new Set([401, 403, 405])

const MAX_ORDERED = 500
const MAX_URL = 2_048

type Update = InputOfEndpoint<typeof import('../../../../src/features/business/catalog.ts').updateProduct>
type Changes = Omit<Update, 'product_id' | 'images'>

export const businessCatalog: Handlers<typeof import('../../../../src/features/business/catalog.ts')> = {
  async 'business.updateCatalogConfig'({ ask, session }, { cart_enabled }) {
    assertBusiness(session)
    return { cart_enabled: cartIn(await ask(cartQuery(cart_enabled))) ?? cart_enabled }
  },

  async 'business.products'(context, { phone, limit, next_cursor: after }) {
    const jid = await accountOf(context, phone)
    try {
      const { products, next } = productPageIn(await context.ask(catalogQuery(jid, { limit, after })), 'product_catalog')
      return { data: products.slice(0, limit).map(productObject), next_cursor: shownCursor(next) }
    } catch (error) {
      if (networkCodeOf(error) !== NOT_THERE) throw error
      return { data: [], next_cursor: null }
    }
  },

  async 'business.product'(context, { product_id, phone }) {
    return productObject(await findProduct(context, await ownerOf(context, phone), product_id))
  },

  async 'business.createProduct'(context, { images, name, is_hidden, ...more }) {
    assertBusiness(context.session)
    const details: ProductDetails = {
      ...detailsOf(more),
      name,
      isHidden: is_hidden,
      images: await picturesOf(context, images),
    }
    return written(productIn(await context.ask(addProductQuery(details)), 'product_catalog_add'))
  },

  async 'business.updateProduct'(context, { product_id, images, ...changes }) {
    assertBusiness(context.session)
    const { ask } = context
    const own = ownAccount(context)
    const { is_hidden, ...others } = changes
    const isAllThatChanges = images === undefined && Object.values(others).every((value) => value === undefined)
    if (isAllThatChanges && is_hidden !== undefined) {
      await ask(productVisibilityQuery(product_id, is_hidden))
      return productObject({ ...(await findProduct(context, own, product_id)), isHidden: is_hidden })
    }
    const before = await findProduct(context, own, product_id)
    if (changes.price !== undefined && (changes.currency ?? before.currency) === null)
      throw Failure.invalid({ path: 'currency', message: 'is required with a price' })
    const pictures = images ? await picturesOf(context, images) : before.images
    const answer = await ask(editProductQuery(product_id, { ...merged(before, changes), images: pictures }))
    return written(productIn(answer, 'product_catalog_edit'))
  },

  async 'business.deleteProduct'({ ask, session }, { product_id }) {
    assertBusiness(session)
    if (deletedCountIn(await ask(deleteProductQuery(product_id))) === 0) throw new Failure('product_not_found')
    return DONE
  },

  async 'business.order'({ ask }, { order_id, order_token: token }) {
    const order = orderIn(
      await ask(orderQuery(order_id, token)).catch((cause) => {
        throw NOT_OURS.has(networkCodeOf(cause) ?? 0) ? new Failure('order_not_found', { cause }) : cause
      }),
    )
    if (order === null) throw new Failure('order_not_found')
    return {
      id: order_id,
      total: units(order.total),
      currency: cutOrNull(order.currency, 3),
      products: order.products.slice(0, MAX_ORDERED).map(({ id, name, price, currency, quantity, image }) => ({
        id: shownId(id),
        name: cut(name, MAX_NAME),
        price: units(price),
        currency: cutOrNull(currency, 3),
        quantity,
        image_url: cutOrNull(image, MAX_URL),
      })),
    }
  },
}

/** Prepares all pictures at the same time. The result has the order of the input. */
const picturesOf = (context: ActionContext, images: readonly MediaInput[]) =>
  Promise.all(images.map((image) => productPicture(context, image)))

const detailsOf = ({ description, price, currency, retailer_id, url, origin_country }: Omit<Changes, 'name' | 'is_hidden'>) => ({
  description: description || null,
  price: price === undefined ? null : Math.round(price * 1_000),
  currency: currency ?? null,
  retailerId: retailer_id || null,
  url: url ?? null,
  originCountry: origin_country ?? null,
})

function merged(before: Product, changes: Changes): ProductDetails {
  const details = detailsOf(changes)
  return {
    ...before,
    name: changes.name ?? before.name,
    description: changes.description === undefined ? before.description : details.description,
    price: details.price ?? before.price,
    currency: details.currency ?? before.currency,
    retailerId: changes.retailer_id === undefined ? before.retailerId : details.retailerId,
    url: details.url ?? before.url,
    originCountry: details.originCountry ?? before.originCountry,
    isHidden: changes.is_hidden ?? before.isHidden,
  }
}

function written(product: Product | null) {
  if (product === null) throw new Failure('action_failed')
  return productObject(product)
}
