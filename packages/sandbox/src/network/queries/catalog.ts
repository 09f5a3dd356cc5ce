import { randomInt } from 'node:crypto'
import { type BinaryNode, child, childBytes, children, node, textOf } from '../../wire/node.ts'
import type { BusinessProfile, Collection, Product } from '../business-profile.ts'
import { findPerson } from '../people.ts'
import { ownBusiness } from './business.ts'
import type { Answer, Query } from './query.ts'
import { QueryError } from './query.ts'

const PAGE = 10

const childText = (item: BinaryNode | undefined, tag: string) => childBytes(item, tag)?.toString('utf8')
const childTexts = (item: BinaryNode | undefined, tag: string) =>
  children(item, tag).map((entry) => childText(entry, 'id') ?? textOf(entry) ?? '')

const newId = () => String(randomInt(1_000_000_000, 9_999_999_999))

function businessOf({ network }: Query, jid: string | undefined): BusinessProfile {
  const person = findPerson(network, jid ?? '')
  if (!person?.business) throw new QueryError(404, 'item-not-found')
  return person.profile
}

function productNode(product: Product): BinaryNode {
  const text = (tag: string, value: string | undefined) => (value === undefined || value === '' ? [] : [node(tag, {}, value)])
  const images = product.images.map((url) =>
    node('image', {}, [node('id', {}, '1'), node('request_image_url', {}, url), node('original_image_url', {}, url)]),
  )
  const origin = product.originCountry
  return node('product', { is_hidden: product.isHidden }, [
    node('id', {}, product.id),
    node('name', {}, product.name),
    ...text('description', product.description),
    ...text('price', product.price === undefined ? undefined : String(product.price)),
    ...text('currency', product.currency),
    ...text('retailer_id', product.retailerId),
    ...text('url', product.url),
    ...(origin ? [node('compliance_info', {}, [node('country_code_origin', {}, origin)])] : []),
    node('availability', {}, product.isUnavailable ? 'out of stock' : 'in stock'),
    node('media', {}, images),
    node('status_info', {}, [node('status', {}, product.reviewStatus ?? 'APPROVED')]),
  ])
}

/**
 * Returns the country of origin of a product. Throws if there is a country although the product is marked as exempt.
 */
function originOf(item: BinaryNode): Pick<Product, 'originCountry'> {
  const country = childText(child(item, 'compliance_info'), 'country_code_origin')
  const isExempt = item.attrs.compliance_category === 'COUNTRY_ORIGIN_EXEMPT'
  if (country !== undefined && isExempt) throw new QueryError(400, 'bad-request')
  return country === undefined ? {} : { originCountry: country }
}

function productOf(item: BinaryNode, id: string): Product {
  const price = childText(item, 'price')
  return {
    id,
    name: childText(item, 'name') ?? '',
    description: childText(item, 'description') ?? '',
    price: price === undefined ? undefined : Number(price),
    currency: childText(item, 'currency') ?? '',
    retailerId: childText(item, 'retailer_id') ?? '',
    url: childText(item, 'url') ?? '',
    images: children(child(item, 'media'), 'image').map((image) => childText(image, 'url') ?? ''),
    isHidden: item.attrs.is_hidden === 'true',
    ...originOf(item),
  }
}

function page<T>(all: T[], subject: BinaryNode, limitTag: string): { items: T[]; paging: BinaryNode[] } {
  const limit = Number(childText(subject, limitTag) ?? PAGE)
  const from = Number(childText(subject, 'after') ?? 0)
  const next = from + limit
  const paging = next < all.length ? [node('paging', {}, [node('after', {}, String(next))])] : []
  return { items: all.slice(from, next), paging }
}

function catalog(query: Query): BinaryNode[] {
  const { items, paging } = page(businessOf(query, query.subject.attrs.jid).products, query.subject, 'limit')
  return [node('product_catalog', {}, [...items.map(productNode), ...paging])]
}

function productList(query: Query): BinaryNode[] {
  const { products } = businessOf(query, query.subject.attrs.jid)
  const ids = childTexts(query.subject, 'product')
  return [node('product_list', {}, products.filter(({ id }) => ids.includes(id)).map(productNode))]
}

function addProduct(query: Query): BinaryNode[] {
  const business = ownBusiness(query)
  const item = child(query.subject, 'product')
  if (!item) throw new QueryError(400, 'bad-request')
  const product: Product = { ...productOf(item, newId()), reviewStatus: 'PENDING' }
  business.products.unshift(product)
  query.network.changed()
  return [node('product_catalog_add', {}, [productNode(product)])]
}

function editProduct(query: Query): BinaryNode[] {
  const business = ownBusiness(query)
  const item = child(query.subject, 'product')
  const id = childText(item, 'id') ?? ''
  const index = business.products.findIndex((product) => product.id === id)
  if (!item || index < 0) throw new QueryError(404, 'item-not-found')
  const product: Product = { ...productOf(item, id), reviewStatus: 'PENDING' }
  business.products[index] = product
  query.network.changed()
  return [node('product_catalog_edit', {}, [productNode(product)])]
}

function showProducts(query: Query): BinaryNode[] {
  const business = ownBusiness(query)
  const changes = children(query.subject, 'product').map((item) => {
    const product = business.products.find(({ id }) => id === childText(item, 'id'))
    if (!product) throw new QueryError(404, 'item-not-found')
    return { product, isHidden: item.attrs.is_hidden === 'true' }
  })
  for (const { product, isHidden } of changes) product.isHidden = isHidden
  query.network.changed()
  return [node('product_visibility_update', {}, [node('success')])]
}

function deleteProducts(query: Query): BinaryNode[] {
  const business = ownBusiness(query)
  const ids = childTexts(query.subject, 'product')
  const left = business.products.filter(({ id }) => !ids.includes(id))
  const deleted = business.products.length - left.length
  business.products = left
  query.network.changed()
  return [node('product_catalog_delete', { deleted_count: deleted })]
}

function collectionNode(business: BusinessProfile, collection: Collection, limit: number): BinaryNode {
  const products = business.products.filter(({ id }) => collection.productIds.includes(id)).slice(0, limit)
  return node('collection', {}, [
    node('id', {}, collection.id),
    node('name', {}, collection.name),
    node('status_info', {}, [node('status', {}, collection.status ?? 'APPROVED'), node('can_appeal', {}, 'false')]),
    ...products.map(productNode),
  ])
}

function collections(query: Query): BinaryNode[] {
  const business = businessOf(query, query.subject.attrs.biz_jid)
  const { items, paging } = page(business.collections, query.subject, 'collection_limit')
  const limit = Number(childText(query.subject, 'item_limit') ?? PAGE)
  return [node('collections', {}, [...items.map((item) => collectionNode(business, item, limit)), ...paging])]
}

function findCollection(business: BusinessProfile, id: string | undefined): Collection {
  const found = business.collections.find((item) => item.id === id)
  if (!found) throw new QueryError(404, 'item-not-found')
  return found
}

function collectionProducts(query: Query): BinaryNode[] {
  const business = businessOf(query, query.subject.attrs.biz_jid)
  const { id, name, productIds } = findCollection(business, query.subject.attrs.id)
  const products = business.products.filter((product) => productIds.includes(product.id))
  const { items, paging } = page(products, query.subject, 'limit')
  return [node('collection', {}, [node('id', {}, id), node('name', {}, name), ...items.map(productNode), ...paging])]
}

function writeCollection(query: Query): BinaryNode[] {
  const business = ownBusiness(query)
  const { subject } = query
  const known = (ids: string[]) => ids.every((id) => business.products.some((product) => product.id === id))
  let collection: Collection
  if (subject.attrs.op === 'create') {
    collection = { id: newId(), name: childText(subject, 'name') ?? '', productIds: childTexts(subject, 'product') }
    if (!known(collection.productIds)) throw new QueryError(404, 'item-not-found')
    business.collections.push(collection)
  } else {
    collection = findCollection(business, childText(subject, 'id'))
    const added = childTexts(subject, 'add')
    if (!known(added)) throw new QueryError(404, 'item-not-found')
    // A change gives the collection another id.
    collection.id = newId()
    const removed = childTexts(subject, 'remove')
    collection.name = childText(subject, 'name') ?? collection.name
    collection.productIds = [...new Set([...collection.productIds, ...added])].filter((id) => !removed.includes(id))
  }
  query.network.changed()
  return [node('collection', {}, [node('id', {}, collection.id), node('status_info', {}, [node('status', {}, 'PENDING')])])]
}

function deleteCollections(query: Query): BinaryNode[] {
  const business = ownBusiness(query)
  const ids = children(query.subject, 'id').map((item) => textOf(item) ?? '')
  for (const id of ids) findCollection(business, id)
  business.collections = business.collections.filter(({ id }) => !ids.includes(id))
  query.network.changed()
  return [node('response', {}, [node('success')])]
}

function order(query: Query): BinaryNode[] {
  const { network, subject } = query
  const token = childText(subject, 'token')
  const orders = [...network.people.values()].flatMap((person) => person.profile.orders)
  const found = orders.find((item) => item.id === subject.attrs.id)
  if (!found) throw new QueryError(404, 'item-not-found')
  if (found.token !== token) throw new QueryError(403, 'forbidden')
  const total = found.items.reduce((sum, item) => sum + item.price * item.quantity, 0)
  const products = found.items.map(({ productId, name, price, quantity, image }) =>
    node('product', {}, [
      node('id', {}, productId),
      node('name', {}, name),
      node('price', {}, String(price)),
      node('currency', {}, found.currency),
      node('quantity', {}, String(quantity)),
      node('image', {}, [node('url', {}, image)]),
    ]),
  )
  const price = node('price', {}, [node('total', {}, String(total)), node('currency', {}, found.currency)])
  return [node('order', { id: found.id }, [...products, price])]
}

export const CATALOG_QUERIES: Record<string, Answer> = {
  'w:biz:catalog get product_catalog': catalog,
  'w:biz:catalog get product_list': productList,
  'w:biz:catalog set product_catalog_add': addProduct,
  'w:biz:catalog set product_catalog_edit': editProduct,
  'w:biz:catalog set product_visibility_update': showProducts,
  'w:biz:catalog set product_catalog_delete': deleteProducts,
  'w:biz:catalog get collections': collections,
  'w:biz:catalog get collection': collectionProducts,
  'w:biz:catalog set collection': writeCollection,
  'w:biz:catalog set collections': deleteCollections,
  'fb:thrift_iq get order': order,
}
