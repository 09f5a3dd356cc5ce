import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { column } from '../../harness/columns.ts'
import { detailsOf } from '../../harness/operations.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, ME, SHOP, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())
beforeEach(() =>
  ground.business(ME, {
    products: [1, 2, 3].map((at) => ({ id: String(at), name: `Product ${at}` })),
    collections: [],
  }),
)
afterEach(() => ground.asUsual())

const idsOf = ({ data }: Json) => (data as Json[]).map(({ id }) => id)
const seenByEva = async () => (await ground.eva.must('business.collections', { phone: ME })).data
const productsSeenByEva = async (collection_id: unknown) =>
  idsOf(await ground.eva.must('business.collectionProducts', { collection_id, phone: ME }))
const make = async (product_ids = ['1', '2']) =>
  String((await ground.must('business.createCollection', { name: 'Sale', product_ids })).id)

test('a collection that is made here is read by others', async () => {
  const made = await ground.must('business.createCollection', { name: ' Sale ', product_ids: ['1', '2', '1'] })
  const { id, ...rest } = made
  assert.match(String(id), /^\d{1,32}$/)
  assert.deepEqual(rest, { name: 'Sale', status: 'pending', products_count: 2 })
  assert.deepEqual(await seenByEva(), [{ ...made, status: 'approved' }])
  assert.deepEqual(await productsSeenByEva(id), ['1', '2'])
})

test('a collection that is changed has what was asked for, under the id that it has then', async () => {
  const id = await make()
  const renamed = await ground.must('business.updateCollection', { collection_id: id, name: 'Big sale' })
  assert.notEqual(renamed.id, id)
  assert.deepEqual([renamed.name, renamed.products_count], ['Big sale', 2])
  const collection_id = renamed.id
  const changed = await ground.must('business.updateCollection', {
    collection_id,
    add_product_ids: ['3'],
    remove_product_ids: ['1'],
  })
  assert.deepEqual([changed.name, changed.products_count], ['Big sale', 2])
  assert.deepEqual(await productsSeenByEva(changed.id), ['2', '3'])
  assert.equal(await ground.eva.refused('business.collectionProducts', { collection_id, phone: ME }), 'product_not_found')
})

test('a collection that is deleted is gone for others, and its products are not', async () => {
  const id = await make()
  assert.deepEqual(await ground.must('business.deleteCollection', { collection_id: id }), { value: true })
  assert.deepEqual(await seenByEva(), [])
  assert.deepEqual(idsOf(await ground.eva.must('business.products', { phone: ME })), ['1', '2', '3'])
  await make()
  await ground.answers('collections', [['response', {}, [['error', { code: '500' }]]]])
  const [kept] = (await seenByEva()) as Json[]
  assert.equal(await ground.refused('business.deleteCollection', { collection_id: kept?.id }), 'action_failed')
})

test('collections and their products are read by pages', async () => {
  const products = [1, 2, 3].map((at) => ({ id: String(at), name: `Tool ${at}` }))
  const collections = [10, 11, 12].map((id) => ({ id: String(id), name: `List ${id}`, product_ids: ['1', '2', '3'] }))
  await ground.business(SHOP, { products, collections: [...collections, { id: '13', name: 'Old', status: 'OUTDATED' }] })
  const read = (more: Json) => ground.must('business.collections', { phone: SHOP, ...more })
  const first = await read({ limit: 3 })
  assert.deepEqual(idsOf(first), ['10', '11', '12'])
  const second = await read({ limit: 3, next_cursor: first.next_cursor })
  assert.deepEqual(second, { data: [{ id: '13', name: 'Old', status: null, products_count: 0 }], next_cursor: null })
  const list = (more: Json) => ground.must('business.collectionProducts', { collection_id: '10', phone: SHOP, ...more })
  const page = await list({ limit: 2 })
  assert.deepEqual(idsOf(page), ['1', '2'])
  assert.deepEqual(idsOf(await list({ limit: 2, next_cursor: page.next_cursor })), ['3'])
  assert.deepEqual(await ground.must('business.collections', { phone: ANA }), { data: [], next_cursor: null })
})

test('how many products a large collection has is not told by the network, nor here', async () => {
  const products = Array.from({ length: 60 }, (_, at) => ({ id: String(at + 1), name: `Tool ${at}` }))
  const product_ids = products.map(({ id }) => id)
  await ground.business(SHOP, { products, collections: [{ id: '10', name: 'All', product_ids }] })
  const { data } = await ground.must('business.collections', { phone: SHOP })
  assert.deepEqual(column(data as Json[], 'products_count'), [null])
})

test('a collection or a product that is not there', async () => {
  const id = await make()
  const cases: [string, Json][] = [
    ['business.collectionProducts', { collection_id: '99' }],
    ['business.updateCollection', { collection_id: '99', name: 'New' }],
    ['business.updateCollection', { collection_id: id, add_product_ids: ['99'] }],
    ['business.deleteCollection', { collection_id: '99' }],
    ['business.createCollection', { name: 'New', product_ids: ['99'] }],
  ]
  for (const [operation, input] of cases) assert.equal(await ground.refused(operation, input), 'product_not_found', operation)
  assert.deepEqual(await productsSeenByEva(id), ['1', '2'], 'and nothing was changed')
})

test('a collection that cannot be is told by its field', async () => {
  const rows: [string, Json, string][] = [
    ['business.createCollection', { name: ' ', product_ids: ['1'] }, 'name'],
    ['business.createCollection', { name: 'A', product_ids: ['x'] }, 'product_ids.0'],
    ['business.updateCollection', { collection_id: '1' }, ''],
  ]
  for (const [operation, input, path] of rows) {
    const answer = await ground.ask(operation, input)
    assert.equal(answer.status, 400, JSON.stringify(input))
    assert.deepEqual(
      (detailsOf(answer).issues as Json[]).map((issue) => issue.path),
      [path],
    )
  }
})

test('a field that the network does not accept is told by its name', async () => {
  const collection_id = await make()
  const { sandbox } = ground.me.world
  const rows: [string, Json, string, number, string][] = [
    ['business.createCollection', { name: 'New', product_ids: ['1'] }, 'name', 400, 'name'],
    ['business.createCollection', { name: 'New', product_ids: ['1'] }, 'product', 406, 'product_ids'],
    ['business.updateCollection', { collection_id, name: 'New' }, 'name', 400, 'name'],
    ['business.updateCollection', { collection_id, add_product_ids: ['3'] }, 'add', 400, 'add_product_ids'],
    ['business.updateCollection', { collection_id, remove_product_ids: ['1'] }, 'remove', 406, 'remove_product_ids'],
    ['business.updateCollection', { collection_id, name: 'New' }, 'something_else', 400, ''],
  ]
  for (const [operation, input, name, code, path] of rows) {
    const error = [code, 'refused', [['field', { name, reason: 'INVALID' }]]]
    await sandbox.post('/answers', { match: { account: ME, tag: 'iq', child: 'collection' }, do: { error }, times: 1 })
    const answer = await ground.ask(operation, input)
    assert.equal(answer.status, 400, `${operation} ${name}`)
    assert.deepEqual(
      (detailsOf(answer).issues as Json[]).map((issue) => issue.path),
      [path],
    )
  }
})

test('collections need a business account to be written, and are refused as the network refuses them', async () => {
  const id = await make()
  const writes: [string, Json, string][] = [
    ['business.createCollection', { name: 'New', product_ids: ['1'] }, 'collection'],
    ['business.updateCollection', { collection_id: id, name: 'New' }, 'collection'],
    ['business.deleteCollection', { collection_id: id }, 'collections'],
  ]
  for (const [operation, input, child] of writes) {
    assert.equal(await ground.eva.refused(operation, input), 'not_allowed')
    await ground.refuses(child, 451)
    assert.equal(await ground.refused(operation, input), 'not_allowed', operation)
  }
})
