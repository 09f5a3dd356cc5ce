import assert from 'node:assert/strict'
import { test } from 'node:test'

test('declaring the operations formats no number and compares no text by locale, which would load 5 MB of locale data at every start', async (t) => {
  // These mocks only count the calls. The real methods are still called.
  const formatted = t.mock.method(Number.prototype, 'toLocaleString').mock
  const compared = t.mock.method(String.prototype, 'localeCompare').mock
  await import('../../../src/features/index.ts')
  assert.deepEqual([formatted.callCount(), compared.callCount()], [0, 0])
})
