/** Collections of a catalog. They are best effort, because WhatsApp does not document them. */
import { z } from 'zod'
import { action } from '../endpoint.ts'
import { Done, name, queryInteger } from '../fields.ts'
import {
  CATALOG_DEADLINE,
  Collection,
  collectionExample,
  collectionId,
  cursorPage,
  nextCursor,
  owner,
  Product,
  productExample,
  productId,
} from './objects.ts'

const about = { notFound: 'product_not_found', errors: ['invalid_phone'] } as const

export const collections = action('business.collections', 'GET /business/collections', {
  ...about,
  writes: false,
  deadlineMs: CATALOG_DEADLINE,
  summary: 'List the collections of a catalog',
  input: {
    phone: owner,
    limit: queryInteger(1, 50).default(20).meta({ description: 'Number of collections per page.', default: 20 }),
    next_cursor: nextCursor,
  },
  reply: cursorPage(Collection),
  examples: [{ name: 'own', input: { limit: 20 }, reply: { data: [collectionExample], next_cursor: null } }],
})

export const collectionProducts = action('business.collectionProducts', 'GET /business/collections/{collection_id}/products', {
  ...about,
  writes: false,
  deadlineMs: CATALOG_DEADLINE,
  summary: 'List the products of a collection',
  description: 'Answers `product_not_found` when the collection does not exist.',
  input: {
    collection_id: collectionId,
    phone: owner,
    limit: queryInteger(1, 100).default(20).meta({ description: 'Number of products per page.', default: 20 }),
    next_cursor: nextCursor,
  },
  reply: cursorPage(Product),
  examples: [
    {
      name: 'somebody else',
      input: { collection_id: collectionExample.id, phone: '5511988887777' },
      reply: { data: [productExample], next_cursor: null },
    },
  ],
})

const productIds = z.array(productId).min(1).max(100)
const collectionName = name(1, 100).meta({ description: 'Name of the collection.' })

export const createCollection = action('business.createCollection', 'POST /business/collections', {
  ...about,
  writes: true,
  summary: 'Create a collection of products',
  input: { name: collectionName, product_ids: productIds.meta({ description: 'Ids of the products in the collection.' }) },
  reply: Collection,
  examples: [
    {
      name: 'sale',
      input: { name: 'Sale', product_ids: [productExample.id] },
      reply: { ...collectionExample, products_count: 1 },
    },
  ],
})

export const updateCollection = action('business.updateCollection', 'PUT /business/collections/{collection_id}', {
  ...about,
  writes: true,
  summary: 'Change a collection',
  description: 'The `id` of the collection may change; the answer has the new one.',
  input: {
    collection_id: collectionId,
    name: collectionName.optional(),
    add_product_ids: productIds.optional().meta({ description: 'Products to add.' }),
    remove_product_ids: productIds.optional().meta({ description: 'Products to remove.' }),
  },
  check({ collection_id: _, ...changes }, issue) {
    if (Object.values(changes).every((value) => value === undefined)) issue('', 'must have at least one field')
  },
  reply: Collection,
  examples: [
    {
      name: 'big sale',
      input: { collection_id: collectionExample.id, name: 'Big sale', add_product_ids: ['1'], remove_product_ids: ['2'] },
      reply: { ...collectionExample, name: 'Big sale' },
    },
    {
      name: 'products alone',
      input: { collection_id: collectionExample.id, add_product_ids: ['1'] },
      reply: collectionExample,
    },
  ],
})

export const deleteCollection = action('business.deleteCollection', 'DELETE /business/collections/{collection_id}', {
  ...about,
  writes: true,
  summary: 'Delete a collection',
  description: 'Its products stay in the catalog.',
  input: { collection_id: collectionId },
  reply: Done,
  examples: [{ name: 'collection', input: { collection_id: collectionExample.id }, reply: { value: true } }],
})
