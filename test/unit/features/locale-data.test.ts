import assert from 'node:assert/strict'
import { test } from 'node:test'

test('declaring the operations formats no number by locale, which would load 5 MB of locale data at every start', async (t) => {
  const { mock } = t.mock.method(Number.prototype, 'toLocaleString')
  const compared = t.mock.method(String.prototype, 'localeCompare')
  await import('../../../src/features/index.ts')
  assert.equal(mock.callCount(), 0)
  assert.equal(compared.mock.callCount(), 0)
})
