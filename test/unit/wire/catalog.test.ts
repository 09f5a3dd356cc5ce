import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  cartQuery,
  categoriesIn,
  categoriesQuery,
  profileChangeQuery,
  profileIn,
} from '../../../workers/shard/wire/business-profile.ts'
import {
  addProductQuery,
  collectionIn,
  createCollectionQuery,
  deleteCollectionQuery,
  editProductQuery,
  isCollectionDeleted,
  orderIn,
  orderQuery,
  type ProductDetails,
  productIn,
  productPageIn,
  productVisibilityQuery,
  updateCollectionQuery,
} from '../../../workers/shard/wire/catalog.ts'

/** A node in the form `[tag, attrs, content]`, with bytes as text. */
type Shown = [tag: string, attrs: BinaryNode['attrs'], content?: Shown[] | string]
const shown = ({ tag, attrs, content }: BinaryNode): Shown =>
  content === undefined ? [tag, attrs] : [tag, attrs, Array.isArray(content) ? content.map(shown) : String(content)]
const node = (tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode[] | string): BinaryNode => ({
  tag,
  attrs,
  ...(content === undefined ? {} : { content: typeof content === 'string' ? Buffer.from(content) : content }),
})
const answered = (...content: BinaryNode[]) => node('iq', {}, content)

const SIZE: Shown[] = [
  ['width', {}, '100'],
  ['height', {}, '100'],
]
const catalog = (type: string, content: Shown, smax_id?: string): Shown => [
  'iq',
  { to: '@s.whatsapp.net', type, xmlns: 'w:biz:catalog', ...(smax_id ? { smax_id } : {}) },
  [content],
]

const mouse: ProductDetails = {
  name: 'Mouse',
  description: 'Wireless',
  price: 99_999,
  currency: 'BRL',
  retailerId: '002',
  url: 'https://example.com',
  images: ['https://mmg.whatsapp.net/1'],
  isHidden: false,
  originCountry: null,
}

test('a product is written whole; where it comes from, or that it need not say so', () => {
  const content: Shown[] = [
    ['name', {}, 'Mouse'],
    ['description', {}, 'Wireless'],
    ['url', {}, 'https://example.com'],
    ['retailer_id', {}, '002'],
    ['media', {}, [['image', {}, [['url', {}, 'https://mmg.whatsapp.net/1']]]]],
    ['price', {}, '99999'],
    ['currency', {}, 'BRL'],
  ]
  const exempt: Shown = ['product', { compliance_category: 'COUNTRY_ORIGIN_EXEMPT', is_hidden: 'false' }, content]
  assert.deepEqual(shown(addProductQuery(mouse)), catalog('set', ['product_catalog_add', { v: '1' }, [exempt, ...SIZE]]))
  const bare = { ...mouse, description: null, url: null, retailerId: null, price: null, currency: null, originCountry: 'BR' }
  const edited: Shown = [
    'product',
    { is_hidden: 'true' },
    [['id', {}, '7'], content[0]!, content[4]!, ['compliance_info', {}, [['country_code_origin', {}, 'BR']]]],
  ]
  const query = editProductQuery('7', { ...bare, isHidden: true })
  assert.deepEqual(shown(query), catalog('set', ['product_catalog_edit', { v: '1' }, [edited, ...SIZE]]))
  const hidden: Shown = ['product', { is_hidden: 'true' }, [['id', {}, '7']]]
  assert.deepEqual(
    shown(productVisibilityQuery('7', true)),
    catalog('set', ['product_visibility_update', { v: '1' }, [hidden]], '23'),
  )
})

test('collections and orders as earlier clients ask', () => {
  const session: Shown = ['catalog_session_id', {}, 'S']
  assert.deepEqual(
    shown(createCollectionQuery('Sale', ['1', '2'], 'S')),
    catalog(
      'set',
      [
        'collection',
        { op: 'create' },
        [['name', {}, 'Sale'], ['product', {}, [['id', {}, '1']]], ['product', {}, [['id', {}, '2']]], session],
      ],
      '36',
    ),
  )
  assert.deepEqual(
    shown(updateCollectionQuery('9', { add: ['1'], remove: ['2'] }, 'S')),
    catalog(
      'set',
      [
        'collection',
        { op: 'update' },
        [['id', {}, '9'], ['add', {}, [['id', {}, '1']]], ['remove', {}, [['id', {}, '2']]], session],
      ],
      '40',
    ),
  )
  assert.deepEqual(
    shown(deleteCollectionQuery('9', 'S')),
    catalog('set', ['collections', { op: 'delete' }, [['id', {}, '9'], session]], '43'),
  )
  const [, , [order]] = shown(orderQuery('77', 'dG9rZW4=')) as [string, unknown, Shown[]]
  assert.deepEqual(order, [
    'order',
    { op: 'get', id: '77' },
    [
      ['image_dimensions', {}, SIZE],
      ['token', {}, 'dG9rZW4='],
    ],
  ])
})

test('what is said to be deleted is so where the network says so', () => {
  const success = node('response', {}, [node('success')])
  for (const [answer, expected] of [
    [answered(success), true],
    [answered(node('collections', {}, [success])), true],
    [answered(node('response', {}, [node('error')])), false],
    [answered(), false],
  ] as const)
    assert.equal(isCollectionDeleted(answer), expected)
})

test('a product is read as far as it goes, or not at all', () => {
  const product = (...content: BinaryNode[]) => answered(node('product_list', {}, [node('product', {}, content)]))
  assert.equal(productIn(product(node('id', {}, '1')), 'product_list'), null)
  assert.equal(productIn(product(node('name', {}, 'Mouse')), 'product_list'), null)
  assert.equal(productIn(answered(), 'product_list'), null)
  const read = productIn(product(node('id', {}, '1'), node('name', {}, 'Mouse'), node('price', {}, 'x')), 'product_list', '1')
  assert.deepEqual(
    [read?.price, read?.currency, read?.images, read?.isHidden, read?.isAvailable, read?.reviewStatus, read?.originCountry],
    [null, null, [], false, true, null, null],
  )
  assert.equal(productIn(product(node('id', {}, '1'), node('name', {}, 'Mouse')), 'product_list', '2'), null)
  assert.deepEqual(productPageIn(answered(), 'product_catalog'), { products: [], next: null })
  assert.equal(collectionIn(answered(node('collection', {}, [node('name', {}, 'Sale')]))), null)
  assert.equal(orderIn(answered()), null)
  assert.deepEqual(orderIn(answered(node('order'))), { total: null, currency: null, products: [] })
})

test('of a profile only what changes is written; what is empty is cleared', () => {
  const [, attrs, [profile]] = shown(
    profileChangeQuery({
      description: '',
      email: 'hi@example.com',
      websites: [],
      categories: ['1', '2'],
      hours: {
        timezone: 'UTC',
        days: [
          { day: 'mon', mode: 'specific_hours', opensAt: 480, closesAt: 1_080 },
          { day: 'tue', mode: 'open_24h', opensAt: null, closesAt: null },
        ],
      },
    }),
  ) as [string, BinaryNode['attrs'], Shown[]]
  assert.deepEqual(attrs, { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:biz' })
  assert.deepEqual(profile, [
    'business_profile',
    { v: '3', mutation_type: 'delta' },
    [
      ['description', {}],
      ['email', {}, 'hi@example.com'],
      ['website', {}],
      [
        'categories',
        {},
        [
          ['category', { id: '1' }],
          ['category', { id: '2' }],
        ],
      ],
      [
        'business_hours',
        { timezone: 'UTC' },
        [
          ['business_hours_config', { day_of_week: 'mon', mode: 'specific_hours', open_time: '480', close_time: '1080' }],
          ['business_hours_config', { day_of_week: 'tue', mode: 'open_24h' }],
        ],
      ],
    ],
  ])
  assert.equal(profileIn(answered(node('business_profile'))), null)
})

test('categories and the cart', () => {
  const request: Shown = ['request', { op: 'profile_typeahead', type: 'catkit', v: '1' }, [['query', {}, 'shop']]]
  const attrs = { to: '@s.whatsapp.net', xmlns: 'fb:thrift_iq' }
  assert.deepEqual(shown(categoriesQuery('shop')), ['iq', { ...attrs, type: 'get' }, [request]])
  const cart: Shown = ['commerce_settings', {}, [['cart', { enabled: 'false' }]]]
  assert.deepEqual(shown(cartQuery(false)), ['iq', { ...attrs, type: 'set', smax_id: '25' }, [cart]])
  const listed = node('categories', {}, [node('category', { id: '1' }, 'One'), node('category', {}, 'Two')])
  assert.deepEqual(categoriesIn(answered(node('response', {}, [listed, node('not_a_biz', { id: '0' }, 'No')]))), [
    { id: '1', name: 'One' },
  ])
})
