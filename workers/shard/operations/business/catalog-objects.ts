import type { ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import { cut, cutOrNull } from '../../wire/bounds.ts'
import type { Product } from '../../wire/catalog.ts'

export type ProductObject = ReplyOfEndpoint<typeof import('../../../../src/features/business/catalog.ts').product>
export type CollectionObject = ReplyOfEndpoint<typeof import('../../../../src/features/business/collections.ts').createCollection>

const BOUNDS = {
  id: 32,
  name: 150,
  description: 5_000,
  currency: 3,
  retailerId: 100,
  url: 2_048,
  images: 10,
  cursor: 4_096,
} as const
export const MAX_COLLECTION_NAME = 100

const STATUSES = ['approved', 'pending', 'rejected'] as const

export const statusOf = (status: string | null) => STATUSES.find((known) => known === status) ?? null

export const units = (thousandths: number | null): number | null => (thousandths === null ? null : thousandths / 1_000)

export const shownId = (id: string) => cut(id, BOUNDS.id)

/** Returns the cursor. Null if there is none, or if it is too long for a caller to send it back. */
export const shownCursor = (next: string | null) => (next !== null && next.length <= BOUNDS.cursor ? next : null)

export const productObject = (product: Product): ProductObject => ({
  id: shownId(product.id),
  name: cut(product.name, BOUNDS.name),
  description: cutOrNull(product.description, BOUNDS.description),
  price: units(product.price),
  currency: cutOrNull(product.currency, BOUNDS.currency),
  retailer_id: cutOrNull(product.retailerId, BOUNDS.retailerId),
  url: cutOrNull(product.url, BOUNDS.url),
  images: product.images.slice(0, BOUNDS.images).map((url) => cut(url, BOUNDS.url)),
  is_hidden: product.isHidden,
  availability: product.isAvailable ? 'in stock' : 'out of stock',
  review_status: statusOf(product.reviewStatus),
})
