import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSafeOrigin } from '../../../src/domain/safe-origin.ts'

test('keys of an account leave over HTTPS, or to the machine itself', () => {
  for (const source of ['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(isSafeOrigin('http://gw', source), true, source)
  for (const source of ['192.168.0.7', '127.0.0.1.example', '::2', '', '::ffff:10.0.0.1'])
    assert.equal(isSafeOrigin('http://gw', source), false, source)
  assert.equal(isSafeOrigin('https://gw.example/svc', '203.0.113.5'), true)
})
