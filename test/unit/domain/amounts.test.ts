import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_TOTAL, toCents, totalsOf } from '../../../src/domain/amounts.ts'

test('amounts that binary fractions cannot write are exact in cents', () => {
  assert.equal(toCents(0.29), 29)
  assert.equal(toCents(1.15), 115)
  assert.equal(toCents(10.1), 1_010)
  assert.equal(toCents(999_999_999.99), 99_999_999_999)
})

test('a total is lines, less the discount, with tax and shipping', () => {
  const products = [
    { value: 0.1, quantity: 3 },
    { value: 19.99, quantity: 2 },
  ]
  assert.deepEqual(totalsOf({ products, discount: 0.28, tax: 1, shipping: 0 }), {
    subtotal: 4_028,
    discount: 28,
    tax: 100,
    shipping: 0,
    total: 4_100,
  })
})

test('the largest total is still a whole number in thousandths', () => {
  assert.ok(Number.isSafeInteger(MAX_TOTAL * 10))
})
