import { z } from 'zod'
import { SECOND } from '../../domain/clock.ts'
import { identifier, plain } from '../fields.ts'

export const CATALOG_DEADLINE = 45 * SECOND

export const MAX_PRICE = 9_999_999

const digits = (what: string) =>
  z
    .string()
    .regex(/^\d{1,32}$/, `must be the id of a ${what}, 1 to 32 digits`)
    .meta({ description: `Id of the ${what}.`, examples: ['4741575945866725'] })

export const productId = digits('product')
export const collectionId = digits('collection')

export const owner = identifier(['user'], {
  description: 'Number of the business that owns the catalog; by default this account.',
}).optional()

export const nextCursor = plain(1, 4_096).optional().meta({ description: '`next_cursor` of the previous answer.' })

export const Product = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    price: z.number().nullable().meta({ description: 'Price, in units of the currency.' }),
    currency: z.string().nullable(),
    retailer_id: z.string().nullable(),
    url: z.string().nullable(),
    images: z.array(z.string()),
    is_hidden: z.boolean(),
    availability: z.enum(['in stock', 'out of stock']),
    review_status: z.enum(['approved', 'pending', 'rejected']).nullable(),
  })
  .meta({ id: 'Product' })

export const Collection = z
  .object({
    id: z.string().meta({ description: 'Id of the collection. A change may give the collection a new id.' }),
    name: z.string(),
    status: z.enum(['approved', 'pending', 'rejected']).nullable(),
    products_count: z.int().nullable().meta({ description: 'Null if the network does not provide it.' }),
  })
  .meta({ id: 'Collection' })

export const cursorPage = <T extends z.ZodType>(entry: T) =>
  z.object({ data: z.array(entry), next_cursor: z.string().nullable() })

export const productExample = {
  id: '4741575945866725',
  name: 'Mouse',
  description: 'Wireless',
  price: 100,
  currency: 'BRL',
  retailer_id: '002',
  url: null,
  images: ['https://media.whatsapp.net/p.jpg'],
  is_hidden: false,
  availability: 'in stock',
  review_status: 'approved',
}

export const collectionExample = { id: '1072603710847740', name: 'Sale', status: 'approved', products_count: 2 }
