import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import sharp from 'sharp'
import { column } from '../../harness/columns.ts'
import { serveFiles } from '../../harness/file-server.ts'
import * as files from '../../harness/media-files.ts'
import { detailsOf } from '../../harness/operations.ts'
import { pictureAt } from '../../harness/pictures.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, ME, NOBODY, SHOP, startGround } from './ground.ts'

const ground = await startGround()
const web = await serveFiles()
const picture = web.put('/mouse.png', await files.image('png', 400, 300))
after(async () => {
  await web.stop()
  await ground.stop()
})
afterEach(() => ground.asUsual())

const DONE = { value: true }
const mouse = () => ({
  name: 'Mouse',
  description: 'Wireless',
  price: 99.999,
  currency: 'BRL',
  retailer_id: '002',
  url: 'https://example.com/mouse',
  images: [picture],
})
const make = async (more: Json = {}) => String((await ground.must('business.createProduct', { ...mouse(), ...more })).id)
const seenByEva = (product_id: string) => ground.eva.must('business.product', { product_id, phone: ME })
const namesOf = ({ data }: Json) => (data as Json[]).map(({ name }) => name)

async function fileAt(address: unknown): Promise<Buffer> {
  const { pathname, search, hostname } = new URL(String(address))
  assert.equal(hostname, 'mmg.whatsapp.net')
  const [host, port] = String(ground.me.world.network.network.media_host).split(':')
  return pictureAt(ground.me.world, { host, port, path: pathname + search })
}

test('a product that is made here is read by others, with pictures of its own on the media host', async () => {
  // Together the two pictures are larger than the largest body that the main thread parses, so
  // another thread parses it.
  const inline = (await files.image('jpeg', 1_200, 1_000)).toString('base64')
  assert.ok(inline.length > 256 * 1_024)
  const made = await ground.must('business.createProduct', { ...mouse(), images: [picture, inline] })
  const { id, images, ...rest } = made
  assert.match(String(id), /^\d{1,32}$/)
  assert.deepEqual(rest, {
    name: 'Mouse',
    description: 'Wireless',
    price: 99.999,
    currency: 'BRL',
    retailer_id: '002',
    url: 'https://example.com/mouse',
    is_hidden: false,
    availability: 'in stock',
    review_status: 'pending',
  })
  assert.equal((images as string[]).length, 2)
  for (const address of images as string[]) {
    const { format, width, height } = await sharp(await fileAt(address)).metadata()
    assert.deepEqual([format, width, height], ['jpeg', 640, 640])
  }
  assert.deepEqual(await seenByEva(String(id)), made)
  const bare = await ground.must('business.createProduct', { name: ' Pad ', images: [(images as string[])[0]], is_hidden: true })
  assert.deepEqual([bare.name, bare.description, bare.price, bare.currency, bare.is_hidden], ['Pad', null, null, null, true])
  assert.deepEqual(bare.images, [(images as string[])[0]], 'a picture of the network is not uploaded again')
})

test('what is changed of a product is read by others, and the rest stays as it is', async () => {
  const id = await make({ origin_country: 'br' })
  const before = await seenByEva(id)
  const change = (changes: Json) => ground.must('business.updateProduct', { product_id: id, ...changes })
  assert.deepEqual(await change({ price: 90 }), { ...before, price: 90 })
  assert.deepEqual(await seenByEva(id), { ...before, price: 90 })
  const other = web.put('/other.webp', await files.image('webp', 300, 300))
  const { images } = await change({ images: [other], name: 'Better mouse', description: '', retailer_id: '' })
  assert.equal((images as string[]).length, 1)
  assert.notDeepEqual(images, before.images)
  const expected = { ...before, price: 90, images, name: 'Better mouse', description: null, retailer_id: null }
  assert.deepEqual(await seenByEva(id), expected)
  assert.deepEqual(await change({ is_hidden: true }), { ...expected, is_hidden: true })
  assert.equal((await seenByEva(id)).is_hidden, true)
  await change({ is_hidden: false, name: 'Mouse' })
  assert.deepEqual(await seenByEva(id), { ...expected, name: 'Mouse' })
})

test('where a product comes from stays, too, and is written anew when it is given', async () => {
  const id = await make({ origin_country: 'br' })
  async function written(work: () => Promise<unknown>): Promise<string[]> {
    const { sandbox } = ground.me.world
    const match = { account: ME, from: 'client', xmlns: 'w:biz:catalog', type: 'set' }
    const { id: watch } = await sandbox.post<{ id: string }>('/expect', { match, count: 10, wait_ms: 0 })
    await work()
    const { items } = await sandbox.get<{ items: unknown[] }>(`/expect/${watch}?wait_ms=0`)
    return items.map((item) => {
      const text = JSON.stringify(item)
      const [, country] = /country_code_origin",\{\},\{"b64":"([\w=]+)"/.exec(text) ?? []
      if (country !== undefined) return Buffer.from(country, 'base64').toString()
      return text.includes('COUNTRY_ORIGIN_EXEMPT') ? 'exempt' : 'none'
    })
  }
  assert.deepEqual(await written(() => ground.must('business.updateProduct', { product_id: id, price: 1 })), ['BR'])
  assert.deepEqual(await written(() => ground.must('business.updateProduct', { product_id: id, origin_country: 'PT' })), ['PT'])
  assert.deepEqual(await written(() => make()), ['exempt'])
})

test('a product that is deleted is gone for others, and cannot be deleted or changed again', async () => {
  const id = await make()
  assert.deepEqual(await ground.must('business.deleteProduct', { product_id: id }), DONE)
  assert.equal(await ground.eva.refused('business.product', { product_id: id, phone: ME }), 'product_not_found')
  for (const [operation, input] of [
    ['business.deleteProduct', {}],
    ['business.updateProduct', { price: 1, currency: 'BRL' }],
    ['business.updateProduct', { is_hidden: true }],
    ['business.product', {}],
  ] as const)
    assert.equal(await ground.refused(operation, { product_id: id, ...input }), 'product_not_found', operation)
})

test('a catalog is read by pages, of this account and of others; one that is not there has no products', async () => {
  const products = [1, 2, 3].map((at) => ({ id: String(at), name: `Tool ${at}`, price: at, currency: 'EUR' }))
  await ground.business(SHOP, {
    products: [...products, { id: '4', name: 'Free', availability: 'out of stock', review_status: 'REJECTED' }],
  })
  const read = (more: Json) => ground.must('business.products', { phone: SHOP, ...more })
  const first = await read({ limit: 3 })
  assert.deepEqual(namesOf(first), ['Tool 1', 'Tool 2', 'Tool 3'])
  const second = await read({ limit: 3, next_cursor: first.next_cursor })
  assert.equal(second.next_cursor, null)
  const [free] = second.data as Json[]
  assert.deepEqual(
    [free?.name, free?.price, free?.currency, free?.images, free?.availability, free?.review_status],
    ['Free', null, null, [], 'out of stock', 'rejected'],
  )
  const id = await make({ name: 'Newest' })
  assert.equal(namesOf(await ground.must('business.products', {}))[0], 'Newest')
  assert.equal(namesOf(await ground.eva.must('business.products', { phone: ME }))[0], 'Newest')
  await ground.must('business.deleteProduct', { product_id: id })
  const none = { data: [], next_cursor: null }
  assert.deepEqual(await ground.must('business.products', { phone: ANA }), none)
  assert.deepEqual(await ground.eva.must('business.products', {}), none)
})

test('whose catalog it is', async () => {
  const cases: [string, Json, string][] = [
    ['business.products', {}, 'phone_not_on_whatsapp'],
    ['business.product', { product_id: '1' }, 'invalid_phone'],
    ['business.collections', {}, 'invalid_phone'],
    ['business.collectionProducts', { collection_id: '1' }, 'invalid_phone'],
  ]
  for (const [operation, input, code] of cases) {
    assert.equal(await ground.refused(operation, { ...input, phone: NOBODY }), code, operation)
    assert.equal(await ground.refused(operation, { ...input, phone: '1-group' }), 'invalid_phone', operation)
    assert.equal(await ground.refused(operation, { ...input, phone: '' }), 'invalid_request', operation)
  }
})

test('a product that cannot be is told by its field', async () => {
  const id = await make()
  const rows: [Json, string][] = [
    [{ name: ' ' }, 'name'],
    [{ price: 1.2345 }, 'price'],
    [{ currency: 'brl' }, 'currency'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ origin_country: 'BRA' }, 'origin_country'],
  ]
  for (const [operation, input] of [
    ['business.createProduct', mouse()],
    ['business.updateProduct', { product_id: id }],
  ] as const)
    for (const [more, path] of rows) {
      const answer = await ground.ask(operation, { ...input, ...more })
      assert.equal(answer.status, 400, JSON.stringify(more))
      assert.deepEqual(
        (detailsOf(answer).issues as Json[]).map((issue) => issue.path),
        [path],
      )
    }
  assert.equal(await ground.refused('business.createProduct', { name: 'A', images: [picture], price: 1 }), 'invalid_request')
  assert.equal(await ground.refused('business.createProduct', { name: 'A' }), 'invalid_request')
  assert.equal(await ground.refused('business.updateProduct', { product_id: id }), 'invalid_request')
  assert.equal(await ground.refused('business.product', { product_id: 'x' }), 'invalid_request')
  const free = await make({ price: undefined, currency: undefined })
  const answer = await ground.ask('business.updateProduct', { product_id: free, price: 5 })
  assert.deepEqual(column(detailsOf(answer).issues as Json[], 'path'), ['currency'], 'it has none to count in')
  assert.equal((await ground.must('business.updateProduct', { product_id: free, price: 5, currency: 'EUR' })).price, 5)
})

test('nothing is made when the media host does not take the picture', async () => {
  const total = async () => (await ground.must('business.products', { limit: 100 })).data
  const before = await total()
  await ground.me.world.sandbox.fault({ on: 'upload', do: { http_status: 500 }, times: 10 })
  assert.equal(await ground.refused('business.createProduct', mouse()), 'action_failed')
  await ground.me.world.sandbox.clearFaults()
  assert.deepEqual(await total(), before)
})

test('catalog writes need a business account, and are refused as the network refuses them', async () => {
  const id = await make()
  const image = ((await seenByEva(id)).images as string[])[0]
  const writes: [string, Json, string][] = [
    ['business.createProduct', { name: 'A', images: [image] }, 'product_catalog_add'],
    ['business.updateProduct', { product_id: id, name: 'A' }, 'product_catalog_edit'],
    ['business.updateProduct', { product_id: id, is_hidden: true }, 'product_visibility_update'],
    ['business.deleteProduct', { product_id: id }, 'product_catalog_delete'],
  ]
  for (const [operation, input, child] of writes) {
    assert.equal(await ground.eva.refused(operation, input), 'not_allowed')
    await ground.refuses(child, 406)
    assert.equal(await ground.refused(operation, input), 'invalid_request', operation)
  }
})

test('a product of which the network tells no details is not found', async () => {
  await ground.answers('product_list', [['product_list', {}, [['product', {}, [['id', {}, '1']]]]]])
  assert.equal(await ground.refused('business.product', { product_id: '1' }), 'product_not_found')
})

test('an order is read by its id and token', async () => {
  const items = [
    { product_id: '1', name: 'Mouse', price: 100, quantity: 2, image: 'https://media.whatsapp.net/p.jpg' },
    { product_id: '2', name: 'Pad', price: 0.5, quantity: 1 },
  ]
  await ground.business(ME, { orders: [{ id: '775188291234567', token: 'dG9rZW4=', currency: 'BRL', items }] })
  const read = (more: Json = {}) => ({ order_id: '775188291234567', order_token: 'dG9rZW4=', ...more })
  assert.deepEqual(await ground.must('business.order', read()), {
    id: '775188291234567',
    total: 200.5,
    currency: 'BRL',
    products: [
      { id: '1', name: 'Mouse', price: 100, currency: 'BRL', quantity: 2, image_url: 'https://media.whatsapp.net/p.jpg' },
      { id: '2', name: 'Pad', price: 0.5, currency: 'BRL', quantity: 1, image_url: null },
    ],
  })
  assert.equal(await ground.refused('business.order', read({ order_id: '1' })), 'order_not_found')
  assert.equal(await ground.refused('business.order', read({ order_token: 'b3RoZXI=' })), 'order_not_found')
  assert.equal(await ground.refused('business.order', read({ order_token: 'not base64!' })), 'invalid_request')
})
