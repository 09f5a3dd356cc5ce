/**
 * Builds queries about catalogs of businesses and parses the answers: products, collections, orders. Prices are in
 * thousandths of the currency unit.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'

interface Iq {
  type: 'get' | 'set'
  smaxId?: string
  xmlns?: string
}

const iq = ({ type, smaxId, xmlns = 'w:biz:catalog' }: Iq, tag: string, attrs: BinaryNode['attrs'], content: BinaryNode[]) => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns, ...(smaxId === undefined ? {} : { smax_id: smaxId }) },
  content: [{ tag, attrs, content }],
})

const text = (tag: string, value: string | number): BinaryNode => ({ tag, attrs: {}, content: Buffer.from(String(value)) })
const optional = (tag: string, value: string | number | null | undefined): BinaryNode[] =>
  value === null || value === undefined ? [] : [text(tag, value)]
const ids = (tag: string, values: readonly string[]): BinaryNode[] =>
  values.map((id) => ({ tag, attrs: {}, content: [text('id', id)] }))

const SIZE = [text('width', 100), text('height', 100)]

const textIn = (parent: BinaryNode | undefined, tag: string): string | null =>
  contentText(getBinaryNodeChild(parent, tag)) || null

function numberIn(parent: BinaryNode | undefined, tag: string): number | null {
  const value = Number(textIn(parent, tag) ?? Number.NaN)
  return Number.isFinite(value) ? value : null
}

export interface Page {
  limit: number
  after?: string | undefined
}

const nextIn = (list: BinaryNode | undefined) => textIn(getBinaryNodeChild(list, 'paging'), 'after')

export interface Product {
  id: string
  name: string
  description: string | null
  price: number | null
  currency: string | null
  retailerId: string | null
  url: string | null
  images: string[]
  isHidden: boolean
  isAvailable: boolean
  /** Review status, as the network writes it, in lower case. */
  reviewStatus: string | null
  /** Country code (ISO 3166-1 alpha-2); null if the product is exempt or the answer has no country. */
  originCountry: string | null
}

const statusIn = (node: BinaryNode) => textIn(getBinaryNodeChild(node, 'status_info'), 'status')?.toLowerCase() ?? null

/** Null if the id or the name is missing: an element with only an id means that the product does not exist. */
function productOf(node: BinaryNode): Product | null {
  const id = textIn(node, 'id')
  const name = textIn(node, 'name')
  if (id === null || name === null) return null
  const images = getBinaryNodeChildren(getBinaryNodeChild(node, 'media'), 'image')
  return {
    id,
    name,
    description: textIn(node, 'description'),
    price: numberIn(node, 'price'),
    currency: textIn(node, 'currency'),
    retailerId: textIn(node, 'retailer_id'),
    url: textIn(node, 'url'),
    images: images.flatMap((image) => textIn(image, 'original_image_url') ?? textIn(image, 'request_image_url') ?? []),
    isHidden: node.attrs.is_hidden === 'true',
    isAvailable: textIn(node, 'availability') !== 'out of stock',
    reviewStatus: statusIn(node),
    originCountry: textIn(getBinaryNodeChild(node, 'compliance_info'), 'country_code_origin'),
  }
}

const productsUnder = (list: BinaryNode | undefined) =>
  getBinaryNodeChildren(list, 'product').flatMap((node) => productOf(node) ?? [])

export interface ProductPage {
  products: Product[]
  next: string | null
}

export const catalogQuery = (jid: string, { limit, after }: Page): BinaryNode =>
  iq({ type: 'get' }, 'product_catalog', { jid, allow_shop_source: 'true' }, [
    text('limit', limit),
    ...SIZE,
    ...optional('after', after),
  ])

export function productPageIn(answer: BinaryNode, tag: 'product_catalog' | 'collection'): ProductPage {
  const list = getBinaryNodeChild(answer, tag)
  return { products: productsUnder(list), next: nextIn(list) }
}

export const productQuery = (jid: string, id: string): BinaryNode =>
  iq({ type: 'get', smaxId: '21' }, 'product_list', { jid }, [...ids('product', [id]), ...SIZE])

export function productIn(
  answer: BinaryNode,
  tag: 'product_list' | 'product_catalog_add' | 'product_catalog_edit',
  id?: string,
): Product | null {
  const products = productsUnder(getBinaryNodeChild(answer, tag))
  return products.find((product) => id === undefined || product.id === id) ?? null
}

export type ProductDetails = Omit<Product, 'id' | 'isAvailable' | 'reviewStatus'>

/** A product without a country of origin has the attribute `compliance_category`. */
function productNode(details: ProductDetails, id?: string): BinaryNode {
  const { isHidden, originCountry, images, ...texts } = details
  const origin = originCountry && { tag: 'compliance_info', attrs: {}, content: [text('country_code_origin', originCountry)] }
  return {
    tag: 'product',
    attrs: { ...(origin ? {} : { compliance_category: 'COUNTRY_ORIGIN_EXEMPT' }), is_hidden: String(isHidden) },
    content: [
      ...optional('id', id),
      text('name', texts.name),
      ...optional('description', texts.description),
      ...optional('url', texts.url),
      ...optional('retailer_id', texts.retailerId),
      { tag: 'media', attrs: {}, content: images.map((url) => ({ tag: 'image', attrs: {}, content: [text('url', url)] })) },
      ...optional('price', texts.price),
      ...optional('currency', texts.currency),
      ...(origin ? [origin] : []),
    ],
  }
}

export const addProductQuery = (details: ProductDetails): BinaryNode =>
  iq({ type: 'set' }, 'product_catalog_add', { v: '1' }, [productNode(details), ...SIZE])

/** Replaces the details of a product. The network removes fields that are omitted. */
export const editProductQuery = (id: string, details: ProductDetails): BinaryNode =>
  iq({ type: 'set' }, 'product_catalog_edit', { v: '1' }, [productNode(details, id), ...SIZE])

export const productVisibilityQuery = (id: string, isHidden: boolean): BinaryNode =>
  iq({ type: 'set', smaxId: '23' }, 'product_visibility_update', { v: '1' }, [
    { tag: 'product', attrs: { is_hidden: String(isHidden) }, content: [text('id', id)] },
  ])

export const deleteProductQuery = (id: string): BinaryNode =>
  iq({ type: 'set' }, 'product_catalog_delete', { v: '1' }, ids('product', [id]))

export const deletedCountIn = (answer: BinaryNode): number =>
  Number(getBinaryNodeChild(answer, 'product_catalog_delete')?.attrs.deleted_count) || 0

export interface Collection {
  id: string
  name: string | null
  status: string | null
  products: number
}

const collectionOf = (node: BinaryNode): Collection | null => {
  const id = textIn(node, 'id')
  return id === null ? null : { id, name: textIn(node, 'name'), status: statusIn(node), products: productsUnder(node).length }
}

export const collectionsQuery = (jid: string, { limit, after }: Page, itemLimit: number): BinaryNode =>
  iq({ type: 'get', smaxId: '35' }, 'collections', { biz_jid: jid }, [
    text('collection_limit', limit),
    text('item_limit', itemLimit),
    ...SIZE,
    ...optional('after', after),
  ])

export function collectionsIn(answer: BinaryNode): { collections: Collection[]; next: string | null } {
  const list = getBinaryNodeChild(answer, 'collections')
  return {
    collections: getBinaryNodeChildren(list, 'collection').flatMap((node) => collectionOf(node) ?? []),
    next: nextIn(list),
  }
}

export const collectionQuery = (jid: string, id: string, { limit, after }: Page): BinaryNode =>
  iq({ type: 'get', smaxId: '30' }, 'collection', { biz_jid: jid, id }, [
    text('limit', limit),
    ...SIZE,
    ...optional('after', after),
  ])

export function collectionIn(answer: BinaryNode): Collection | null {
  const node = getBinaryNodeChild(answer, 'collection')
  return node ? collectionOf(node) : null
}

export const createCollectionQuery = (name: string, products: readonly string[], sessionId: string): BinaryNode =>
  iq({ type: 'set', smaxId: '36' }, 'collection', { op: 'create' }, [
    text('name', name),
    ...ids('product', products),
    text('catalog_session_id', sessionId),
  ])

export interface CollectionChanges {
  name?: string | undefined
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

export const updateCollectionQuery = (id: string, { name, add = [], remove = [] }: CollectionChanges, sessionId: string) =>
  iq({ type: 'set', smaxId: '40' }, 'collection', { op: 'update' }, [
    text('id', id),
    ...optional('name', name),
    ...ids('add', add),
    ...ids('remove', remove),
    text('catalog_session_id', sessionId),
  ])

/** Deletes a collection. The deletion was successful only if the answer is `<response><success/></response>`. */
export const deleteCollectionQuery = (id: string, sessionId: string): BinaryNode =>
  iq({ type: 'set', smaxId: '43' }, 'collections', { op: 'delete' }, [text('id', id), text('catalog_session_id', sessionId)])

export function isCollectionDeleted(answer: BinaryNode): boolean {
  const response =
    getBinaryNodeChild(answer, 'response') ?? getBinaryNodeChild(getBinaryNodeChild(answer, 'collections'), 'response')
  return getBinaryNodeChild(response, 'success') !== undefined
}

export const orderQuery = (id: string, token: string): BinaryNode =>
  iq({ type: 'get', smaxId: '5', xmlns: 'fb:thrift_iq' }, 'order', { op: 'get', id }, [
    { tag: 'image_dimensions', attrs: {}, content: SIZE },
    text('token', token),
  ])

export interface Order {
  total: number | null
  currency: string | null
  products: { id: string; name: string; price: number | null; currency: string | null; quantity: number; image: string | null }[]
}

export function orderIn(answer: BinaryNode): Order | null {
  const order = getBinaryNodeChild(answer, 'order')
  if (!order) return null
  const price = getBinaryNodeChild(order, 'price')
  return {
    total: numberIn(price, 'total'),
    currency: textIn(price, 'currency'),
    products: getBinaryNodeChildren(order, 'product').map((product) => ({
      id: textIn(product, 'id') ?? '',
      name: textIn(product, 'name') ?? '',
      price: numberIn(product, 'price'),
      currency: textIn(product, 'currency'),
      quantity: Math.trunc(numberIn(product, 'quantity') ?? 0),
      image: textIn(getBinaryNodeChild(product, 'image'), 'url'),
    })),
  }
}
