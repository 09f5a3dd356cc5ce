import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PIX_TYPES, type PixType } from '../../../../src/domain/pix.ts'
import { sendOrder } from '../../../../src/features/send/commerce.ts'
import { reviewAndPay } from '../../../../workers/shard/translate/outbound/payment.ts'

function bill(key: string, key_type: PixType) {
  const { order, payment_settings } = sendOrder.input.parse({
    phone: '5511988887777',
    order: { currency: 'brl', shipping: 5, discount: 0.5, products: [{ name: 'Mug', value: 10.5, quantity: 2 }] },
    payment_settings: { pix: { key, key_type, name: 'Example Inc.' } },
  })
  assert.ok(payment_settings)
  const [button] = reviewAndPay('3EB0EE97803A91FF2C0ED1', order, payment_settings, undefined).nativeFlowMessage?.buttons ?? []
  return JSON.parse(String(button?.buttonParamsJson))
}

test('a Pix key goes in the form that banks read, whatever separators it was written with', () => {
  const keys = {
    cpf: ['123.456.789-09', '12345678909'],
    cnpj: ['12.ABC.345/01DE-35', '12ABC34501DE35'],
    phone: ['5511999990000', '+5511999990000'],
    email: ['pay@example.com', 'pay@example.com'],
    evp: ['6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11', '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11'],
  } as const satisfies Record<PixType, readonly [string, string]>
  for (const type of PIX_TYPES) {
    const [written, read] = keys[type]
    assert.deepEqual(bill(written, type).payment_settings, [
      { type: 'pix_static_code', pix_static_code: { merchant_name: 'Example Inc.', key: read, key_type: type.toUpperCase() } },
    ])
  }
  assert.equal(bill('of no form', 'cpf').payment_settings[0].pix_static_code.key, 'of no form')
})

test('amounts are cents, and the total is lines - discount + tax + shipping', () => {
  const { currency, total_amount, order } = bill('12345678909', 'cpf')
  assert.equal(currency, 'BRL')
  assert.deepEqual(total_amount, { value: 2_550, offset: 100 })
  assert.deepEqual(
    [order.subtotal, order.discount, order.tax, order.shipping].map(({ value }) => value),
    [2_100, 50, 0, 500],
  )
})
