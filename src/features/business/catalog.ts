/** Products, and orders of products. They are best effort, because WhatsApp does not document them. */
import { z } from 'zod'
import { action } from '../endpoint.ts'
import { Done, name, PICTURE_DEADLINE, plain, portrait, queryInteger, url } from '../fields.ts'
import { CATALOG_DEADLINE, cursorPage, MAX_PRICE, nextCursor, owner, Product, productExample, productId } from './objects.ts'

export const updateConfig = action('business.updateCatalogConfig', 'PUT /business/catalog', {
  writes: true,
  summary: 'Enable or disable the cart of the catalog',
  input: { cart_enabled: z.boolean().meta({ description: 'With a cart, buyers collect products and order them together.' }) },
  reply: z.object({ cart_enabled: z.boolean() }),
  examples: [{ name: 'on', input: { cart_enabled: true }, reply: { cart_enabled: true } }],
})

export const products = action('business.products', 'GET /business/products', {
  writes: false,
  deadlineMs: CATALOG_DEADLINE,
  summary: 'Read a catalog',
  description: 'An account without a catalog has no products.',
  input: {
    phone: owner,
    limit: queryInteger(1, 100).default(20).meta({ description: 'Number of products per page.', default: 20 }),
    next_cursor: nextCursor,
  },
  reply: cursorPage(Product),
  errors: ['invalid_phone', 'phone_not_on_whatsapp'],
  examples: [
    {
      name: 'somebody else',
      input: { phone: '5511988887777', limit: 20 },
      reply: { data: [productExample], next_cursor: null },
    },
  ],
})

export const product = action('business.product', 'GET /business/products/{product_id}', {
  writes: false,
  deadlineMs: CATALOG_DEADLINE,
  summary: 'Read a product',
  input: { product_id: productId, phone: owner },
  reply: Product,
  notFound: 'product_not_found',
  errors: ['invalid_phone'],
  examples: [{ name: 'own', input: { product_id: productExample.id }, reply: productExample }],
})

const price = z
  .number()
  .min(0)
  .max(MAX_PRICE)
  .refine((value) => Math.abs(value * 1_000 - Math.round(value * 1_000)) < 1e-4, { message: 'must have at most 3 decimals' })
  .meta({ description: 'Price, in units of the currency.' })

const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be a country code of ISO 3166-1 alpha-2')
  .transform((value) => value.toUpperCase())

const details = {
  description: plain(0, 5_000).optional().meta({ description: 'Description of the product; empty for none.' }),
  price: price.optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be 3 upper-case letters')
    .optional()
    .meta({ description: 'ISO 4217.', examples: ['BRL'] }),
  retailer_id: plain(0, 100).optional().meta({ description: 'Your own id of the product.' }),
  url: url.optional().meta({ description: 'URL of the page of the product.' }),
  origin_country: countryCode.optional().meta({ description: 'ISO 3166-1 alpha-2; omitted: exempt.' }),
}

const images = z
  .array(portrait)
  .min(1)
  .max(10)
  .meta({ description: 'Pictures of the product; the first one is the main picture.' })
const productName = name(1, 150).meta({ description: 'Name of the product.' })
const isHidden = z
  .boolean()
  .meta({ description: 'Whether the product is hidden: it stays in the catalog, but others do not see it.' })

export const createProduct = action('business.createProduct', 'POST /business/products', {
  writes: true,
  deadlineMs: PICTURE_DEADLINE,
  summary: 'Add a product to the catalog',
  input: { ...details, name: productName, images, is_hidden: isHidden.default(false).meta({ default: false }) },
  check({ price, currency }, issue) {
    if (price !== undefined && currency === undefined) issue('currency', 'is required with a price')
  },
  reply: Product,
  errors: ['media_invalid', 'media_download_failed'],
  examples: [
    {
      name: 'product',
      input: {
        name: 'Mouse',
        description: 'Wireless',
        price: 100,
        currency: 'BRL',
        retailer_id: '002',
        images: ['https://example.com/mouse.jpg'],
      },
      reply: { ...productExample, review_status: 'pending' },
    },
  ],
})

export const updateProduct = action('business.updateProduct', 'PUT /business/products/{product_id}', {
  writes: true,
  deadlineMs: PICTURE_DEADLINE,
  summary: 'Change a product of the catalog',
  description: 'Only the given fields are changed; `images` replaces all pictures.',
  input: {
    product_id: productId,
    ...details,
    name: productName.optional(),
    images: images.optional(),
    is_hidden: isHidden.optional(),
  },
  check({ product_id: _, ...changes }, issue) {
    if (Object.values(changes).every((value) => value === undefined)) issue('', 'must have at least one field')
  },
  reply: Product,
  notFound: 'product_not_found',
  errors: ['media_invalid', 'media_download_failed'],
  examples: [{ name: 'price', input: { product_id: productExample.id, price: 90 }, reply: { ...productExample, price: 90 } }],
})

export const deleteProduct = action('business.deleteProduct', 'DELETE /business/products/{product_id}', {
  writes: true,
  summary: 'Remove a product from the catalog',
  input: { product_id: productId },
  reply: Done,
  notFound: 'product_not_found',
  examples: [{ name: 'product', input: { product_id: productExample.id }, reply: { value: true } }],
})

export const order = action('business.order', 'GET /business/orders/{order_id}', {
  writes: false,
  deadlineMs: CATALOG_DEADLINE,
  summary: 'Read an order',
  description: 'Reads an order that was sent to or by this account.',
  input: {
    order_id: plain(1, 64).meta({ description: 'Id of the order, from the order message.' }),
    order_token: z
      .string()
      .min(1)
      .max(512)
      .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, 'must be base64')
      .meta({ description: 'Token from the order message. The name `token` is also accepted.' }),
  },
  reply: z.object({
    id: z.string(),
    total: z.number().nullable(),
    currency: z.string().nullable(),
    products: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          price: z.number().nullable(),
          currency: z.string().nullable(),
          quantity: z.int(),
          image_url: z.string().nullable(),
        }),
      )
      .meta({ description: 'At most 500.' }),
  }),
  notFound: 'order_not_found',
  examples: [
    {
      name: 'order',
      input: { order_id: '775188291234567', order_token: 'dG9rZW4=' },
      reply: {
        id: '775188291234567',
        total: 200,
        currency: 'BRL',
        products: [
          {
            id: productExample.id,
            name: 'Mouse',
            price: 100,
            currency: 'BRL',
            quantity: 2,
            image_url: 'https://media.whatsapp.net/p.jpg',
          },
        ],
      },
    },
  ],
})
