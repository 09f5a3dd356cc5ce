import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PixType, pixKey } from '../../../src/domain/pix.ts'

const CASES: [type: PixType, given: string, key: string | undefined][] = [
  ['cpf', '123.456.789-09', '12345678909'],
  ['cpf', '123456789091', undefined],
  ['cpf', '123 456 789 09', undefined],
  ['cnpj', '12.345.678/0001-95', '12345678000195'],
  ['cnpj', '12ABC34501DE35', '12ABC34501DE35'],
  ['cnpj', '12abc34501de35', undefined],
  ['phone', '5511999990000', '+5511999990000'],
  ['phone', '+5511999990000', '+5511999990000'],
  ['phone', '+55 11', undefined],
  ['phone', '', undefined],
  ['email', 'pay@example.com', 'pay@example.com'],
  ['email', 'pay.example.com', undefined],
  ['email', '@example.com', undefined],
  ['email', 'a@b@c', undefined],
  ['evp', '6F0A3C1E-8a55-4c8e-9f7b-0d5d3f6c2b11', '6F0A3C1E-8a55-4c8e-9f7b-0d5d3f6c2b11'],
  ['evp', '6f0a3c1e8a554c8e9f7b0d5d3f6c2b11', undefined],
]
for (const [type, given, key] of CASES)
  test(`${given || 'nothing'} is ${key === undefined ? `no key of the type ${type}` : `the ${type} ${key}`}`, () => {
    assert.equal(pixKey(type, given), key)
  })
