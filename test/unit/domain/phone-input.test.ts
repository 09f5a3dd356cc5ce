import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPhone } from '../../../src/domain/phone-input.ts'

const OWN = '5511999990001'
const WHOLE = '5511988887777'

test('a number is taken as people write it', () => {
  const forms = [
    '+5511988887777',
    '+55 (11) 98888-7777',
    '55 11 98888-7777',
    '0055 11 98888.7777',
    ' +55\u00a011 98888–7777 ',
    WHOLE,
  ]
  for (const form of forms) assert.deepEqual(readPhone(form, OWN), { phone: WHOLE, meant: null, isNational: false }, form)
})

test('what looks like a national number is asked about', () => {
  for (const form of ['11 98888-7777', '(11) 98888 7777', '11988887777', '011 98888-7777'])
    assert.equal(readPhone(form, OWN).meant, WHOLE, form)
  assert.equal(readPhone('(212) 555-0100', '12125550000').meant, '12125550100')
  assert.equal(readPhone('0151 12345678', '4915112345670').meant, '4915112345678')
})

test('a number with a plus is never asked about, however short it is', () => {
  assert.equal(readPhone('+56 9 8765 4321', OWN).meant, null)
})

test('a leading zero is noticed without the number of the account', () => {
  assert.equal(readPhone('011 98888-7777').isNational, true)
  assert.equal(readPhone('11 98888-7777').isNational, false)
})

test('an id of a group, of a channel or of a person stays as it is', () => {
  for (const id of ['120363000000000001-group', '120363000000000001@newsletter', '5511988887777@lid', 'abc'])
    assert.deepEqual(readPhone(id, OWN), { phone: id, meant: null, isNational: false })
})
