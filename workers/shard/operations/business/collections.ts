import { randomUUID } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import { networkCodeOf, refusedFieldOf } from '../../connection/failures.ts'
import { assertBusiness } from '../../connection/identity.ts'
import { cut } from '../../wire/bounds.ts'
import {
  type Collection,
  collectionIn,
  collectionQuery,
  collectionsIn,
  collectionsQuery,
  createCollectionQuery,
  deleteCollectionQuery,
  isCollectionDeleted,
  productPageIn,
  updateCollectionQuery,
} from '../../wire/catalog.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { ownAccount, ownerOf } from './accounts.ts'
import { type CollectionObject, MAX_COLLECTION_NAME, productObject, shownCursor, shownId, statusOf } from './catalog-objects.ts'

const DONE = { value: true } as const

const NOT_THERE = 404
const BAD_REQUEST = 400

/**
 * Number of products that are requested for each collection. If the answer has fewer, their number is the size of the
 * collection; otherwise the size is unknown.
 */
const COUNTED = 51
const ALL = 100

export const businessCollections: Handlers<typeof import('../../../../src/features/business/collections.ts')> = {
  async 'business.collections'(context, { phone, limit, next_cursor: after }) {
    const jid = await ownerOf(context, phone)
    try {
      const { collections, next } = collectionsIn(await context.ask(collectionsQuery(jid, { limit, after }, COUNTED)))
      const data = collections.slice(0, limit).map((one) => shown(one, one.name, one.products < COUNTED ? one.products : null))
      return { data, next_cursor: shownCursor(next) }
    } catch (error) {
      if (networkCodeOf(error) !== NOT_THERE) throw error
      return { data: [], next_cursor: null }
    }
  },

  async 'business.collectionProducts'(context, { collection_id, phone, limit, next_cursor: after }) {
    const jid = await ownerOf(context, phone)
    const { products, next } = productPageIn(
      await context.ask(collectionQuery(jid, collection_id, { limit, after })),
      'collection',
    )
    return { data: products.slice(0, limit).map(productObject), next_cursor: shownCursor(next) }
  },

  async 'business.createCollection'(context, { name, product_ids }) {
    assertBusiness(context.session)
    const products = [...new Set(product_ids)]
    const made = await change(context, createCollectionQuery(name, products, randomUUID()), CREATED)
    return shown(made, name, products.length)
  },

  async 'business.updateCollection'(context, { collection_id, name, add_product_ids: add, remove_product_ids: remove }) {
    assertBusiness(context.session)
    const changed = await change(context, updateCollectionQuery(collection_id, { name, add, remove }, randomUUID()), UPDATED)
    const answer = await context.ask(collectionQuery(ownAccount(context), changed.id, { limit: ALL }))
    const { products, next } = productPageIn(answer, 'collection')
    return shown(changed, name ?? collectionIn(answer)?.name ?? null, next === null ? products.length : null)
  },

  async 'business.deleteCollection'({ ask, session }, { collection_id }) {
    assertBusiness(session)
    if (!isCollectionDeleted(await ask(deleteCollectionQuery(collection_id, randomUUID())))) throw new Failure('action_failed')
    return DONE
  },
}

/**
 * The field of the request for each element of our query. The network's error contains only the name of the element.
 */
const CREATED: Readonly<Record<string, string>> = { name: 'name', product: 'product_ids' }
const UPDATED: Readonly<Record<string, string>> = { name: 'name', add: 'add_product_ids', remove: 'remove_product_ids' }

/**
 * The network refuses an invalid name or product with 400. `fields`: the field of the request for each element of the
 * query.
 */
async function change({ ask }: ActionContext, query: BinaryNode, fields: Readonly<Record<string, string>>): Promise<Collection> {
  const collection = collectionIn(
    await ask(query).catch((cause) => {
      const field = refusedFieldOf(cause)
      const code = networkCodeOf(cause)
      if (code !== BAD_REQUEST && field === null) throw cause
      const issues = [{ path: fields[field ?? ''] ?? '', message: 'was not accepted by the network' }]
      throw new Failure('invalid_request', { details: { issues, ...(code === null ? {} : { network_code: code }) }, cause })
    }),
  )
  if (collection === null) throw new Failure('action_failed')
  return collection
}

/** Returns a collection as the API shows it. A collection without a status counts as approved. */
const shown = ({ id, status }: Collection, name: string | null, count: number | null): CollectionObject => ({
  id: shownId(id),
  name: cut(name ?? '', MAX_COLLECTION_NAME),
  status: status === null ? 'approved' : statusOf(status),
  products_count: count,
})
