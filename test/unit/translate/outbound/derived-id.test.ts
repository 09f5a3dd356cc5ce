import assert from 'node:assert/strict'
import { test } from 'node:test'
import { derivedOrderId, derivedReference } from '../../../../workers/shard/translate/outbound/derived-id.ts'
import { reviewAndPay } from '../../../../workers/shard/translate/outbound/payment.ts'

const MESSAGE = '3EB0EE97803A91FF2C0ED1'

test('ids have the form the network gives them', () => {
  assert.match(derivedReference(MESSAGE, 'reference'), /^[0-9A-Z]{11}$/)
  assert.match(derivedOrderId(MESSAGE), /^\d{15}$/)
})

test('ids of one message differ by purpose, and of one purpose by message', () => {
  const ids = ['reference', 'order request', 'item 0', 'item 1'].map((purpose) => derivedReference(MESSAGE, purpose))
  assert.equal(new Set([...ids, derivedReference('3EB0EE97803A91FF2C0ED2', 'reference')]).size, 5)
})

// If the acknowledgement of a message is lost with the connection, the message is composed again. The first copy may
// have arrived, so the second one must be equal to it.
test('a bill that is composed again for the same message is the same bill', () => {
  const order = {
    currency: 'BRL',
    products: [{ name: 'Mug', value: 10.5, quantity: 2 }],
    discount: 0,
    tax: 0,
    shipping: 0,
  }
  const compose = () => reviewAndPay(MESSAGE, order, { card: { enabled: true } }, undefined)
  assert.deepEqual(compose(), compose())
})
