import { randomBytes } from 'node:crypto'
import type { Collection, Order, Product } from './business-profile.ts'
import { addCommunity } from './communities.ts'
import { findKnown } from './control-people.ts'
import type { Network, Person } from './model.ts'
import { pnOf } from './people.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const list = (value: unknown) => (Array.isArray(value) ? value : []) as Record<string, unknown>[]

export function addCommunityByControl(network: Network, input: Record<string, unknown>) {
  const owner = findKnown(network, text(input.owner))
  const phones = Array.isArray(input.participants) ? input.participants.map(text) : []
  const members = phones.map((phone) => pnOf(findKnown(network, phone)))
  const made = addCommunity(network, owner, text(input.name) || text(input.subject), text(input.description), members)
  return { id: made.parent.id, announcement_id: made.announcement.id, general_id: made.general.id }
}

/** Changes a business and its catalog. Prices in the input are in currency units. */
export function updateBusinessByControl(network: Network, phone: string, input: Record<string, unknown>) {
  const person: Person = findKnown(network, phone)
  const { profile } = person
  person.business = true
  for (const name of ['description', 'address', 'email'] as const)
    if (typeof input[name] === 'string') profile[name] = input[name]
  if (Array.isArray(input.websites)) profile.websites = input.websites.map(text)
  if (typeof input.cart_enabled === 'boolean') profile.cartEnabled = input.cart_enabled
  if (typeof input.cover_photo === 'boolean') profile.hasCoverPhoto = input.cover_photo
  if (input.products !== undefined) profile.products = list(input.products).map(productOf)
  if (input.collections !== undefined) profile.collections = list(input.collections).map(collectionOf)
  if (input.orders !== undefined) profile.orders = list(input.orders).map(orderOf)
  network.changed()
  return { phone: person.number, business: true, ...profile }
}

const thousandths = (value: unknown) => Math.round(Number(value) * 1_000)

function productOf(input: Record<string, unknown>, index: number): Product {
  return {
    id: text(input.id) || String(4_741_575_900_000 + index),
    name: text(input.name),
    description: text(input.description),
    price: input.price === undefined || input.price === null ? undefined : thousandths(input.price),
    currency: text(input.currency),
    retailerId: text(input.retailer_id),
    url: text(input.url),
    images: Array.isArray(input.images) ? input.images.map(text) : [],
    isHidden: input.is_hidden === true,
    isUnavailable: input.availability === 'out of stock',
    ...(text(input.review_status) ? { reviewStatus: text(input.review_status) } : {}),
    ...(text(input.origin_country) ? { originCountry: text(input.origin_country) } : {}),
  }
}

function collectionOf(input: Record<string, unknown>, index: number): Collection {
  const productIds = Array.isArray(input.product_ids) ? input.product_ids.map(text) : []
  const status = text(input.status)
  const id = text(input.id) || String(1_072_603_700_000 + index)
  return { id, name: text(input.name), productIds, ...(status ? { status } : {}) }
}

function orderOf(input: Record<string, unknown>): Order {
  return {
    id: text(input.id),
    token: text(input.token) || randomBytes(12).toString('base64'),
    currency: text(input.currency),
    items: list(input.items).map((item) => ({
      productId: text(item.product_id),
      name: text(item.name),
      price: thousandths(item.price),
      quantity: Number(item.quantity ?? 1),
      image: text(item.image),
    })),
  }
}
