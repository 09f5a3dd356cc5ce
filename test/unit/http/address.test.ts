import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIn, parseRanges, sourceOf } from '../../../src/http/address.ts'

test('an address is in a range of its own family, and an IPv4-mapped one counts as IPv4', () => {
  const ranges = parseRanges(['203.0.113.0/24', '2001:db8::/32', '192.0.2.7', '::ffff:198.51.100.0/120'])
  for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8:1::1', '192.0.2.7', '198.51.100.9'])
    assert.ok(isIn(ranges, address), address)
  for (const address of ['203.0.114.0', '2001:db9::1', '192.0.2.8', 'unknown', '', '198.51.101.1'])
    assert.ok(!isIn(ranges, address), address)
})

test('without trusted proxies X-Forwarded-For is not read', () => {
  assert.equal(sourceOf('::ffff:192.0.2.1', '203.0.113.9', []), '192.0.2.1')
  assert.equal(sourceOf(undefined, '203.0.113.9', []), 'unknown')
})

test('the right-most address that is no trusted proxy is the source', () => {
  const trusted = parseRanges(['10.0.0.0/8', 'fd00::/8'])
  assert.equal(sourceOf('10.0.0.1', 'spoofed, 203.0.113.9, 10.2.3.4', trusted), '203.0.113.9')
  assert.equal(sourceOf('fd00::1', '[2001:db8::7]:4711', trusted), '2001:db8::7')
  assert.equal(sourceOf('10.0.0.1', null, trusted), '10.0.0.1')
  assert.equal(sourceOf('10.0.0.1', '203.0.113.9, garbage', trusted), '10.0.0.1', 'what is behind garbage is not believed')
  assert.equal(sourceOf('10.0.0.1', '10.0.0.2, 10.0.0.3', trusted), '10.0.0.2')
})
