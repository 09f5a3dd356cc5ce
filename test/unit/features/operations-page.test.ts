import assert from 'node:assert/strict'
import { test } from 'node:test'
import { featureTable, type Promised, withTable } from '../../../docs/feature-table.ts'
import { RIGHTS_SOURCE, rightsTable } from '../../../docs/rights-table.ts'
import { SANDBOX_SOURCE, sandboxTable } from '../../../docs/sandbox-table.ts'
import { endpoints } from '../../../src/features/index.ts'
import { textOf } from '../../harness/checkout.ts'

test('the table of the page is that of the declarations', () => {
  const page = textOf('docs/api-operations.md')
  const promised: Promised = JSON.parse(textOf('docs/contract-operations.json'))
  const ids = endpoints.map(({ id }) => id)
  assert.ok(page === withTable(page, featureTable(ids, promised)), 'the declarations have changed: run `npm run docs`')
})

test('the table of rights is that of the service', () => {
  const page = textOf('docs/dashboard.md')
  assert.ok(page === withTable(page, rightsTable(), RIGHTS_SOURCE), 'the rights have changed: run `npm run docs`')
})

test('the table of the protocol is that of the simulated network', () => {
  const page = textOf('packages/sandbox/PROTOCOL.md')
  const table = sandboxTable()
  assert.ok(table.split('\n').length > 30)
  assert.ok(page === withTable(page, table, SANDBOX_SOURCE), 'the network has changed: run `npm run docs`')
})

test('an area counts what is built of what is promised, and names the rest', () => {
  const table = featureTable(['queue.list', 'extra.one'], { queue: ['list', 'clear'], labels: ['create'] })
  assert.deepEqual(table.split('\n').slice(4), [
    '| Queue | `queue` | 1 of 2 | list | clear |',
    '| Labels | `labels` | 0 of 1 |  | create |',
    '| extra | `extra` | 0 of 0 | one |  |',
  ])
  assert.match(table, /\b3, of which the service has 1\./)
})

test('a page without a place for the table is not written', () => {
  assert.throws(() => withTable('# svc', 'table'), /no place for the table/)
})
