import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, canonicalCidr, isIn, parseRanges, subscriberOf } from '../../../src/egress/addresses.ts'

test('an address is in a range of its own family, and an IPv4-mapped one counts as IPv4', () => {
  const ranges = parseRanges(['203.0.113.0/24', '2001:db8::/32', '192.0.2.7', '::ffff:198.51.100.0/120'])
  for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8:1::1', '192.0.2.7', '198.51.100.9'])
    assert.ok(isIn(ranges, address), address)
  for (const address of ['203.0.114.0', '2001:db9::1', '192.0.2.8', 'unknown', '', '198.51.101.1'])
    assert.ok(!isIn(ranges, address), address)
})

test('as a source, an IPv6 address that only wraps an IPv4 one is not that one: anybody can be given it', () => {
  const ranges = parseRanges(['10.0.0.0/8'])
  for (const address of ['2002:a00:1::1', '64:ff9b::10.0.0.1', '::ffff:0:10.0.0.1']) assert.ok(!isIn(ranges, address), address)
})

test('an address has one way to be written', () => {
  for (const text of ['127.0.0.1', '::ffff:7f00:1', '0x7f.1', '2130706433']) assert.equal(canonicalAddress(text), '127.0.0.1')
  assert.equal(canonicalAddress('2001:DB8:0::1'), '2001:db8::1')
  assert.equal(canonicalAddress('localhost'), undefined)
})

test('a range has a prefix that fits its family', () => {
  assert.equal(canonicalCidr(' 10.0.0.1 '), '10.0.0.1/32')
  assert.equal(canonicalCidr('fd00::/8'), 'fd00::/8')
  assert.equal(canonicalCidr('::ffff:10.0.0.0/104'), '10.0.0.0/8')
  for (const text of ['10.1', '10.0.0.0/33', '::/129', '::ffff:0:0/90', 'localhost', '', '/8', '10.0.0.0/8/8'])
    assert.equal(canonicalCidr(text), undefined, text)
  assert.throws(() => parseRanges(['10.0.0.0/8', 'localhost']), /"localhost" is not an address or a CIDR block/)
})

test('a subscriber is one IPv4 address, or an IPv6 /64', () => {
  assert.equal(subscriberOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(subscriberOf('2001:db8:1:2:aaaa::1'), subscriberOf('2001:db8:1:2:bbbb::2'))
  assert.notEqual(subscriberOf('2001:db8:1:2::1'), subscriberOf('2001:db8:1:3::1'))
  assert.equal(subscriberOf('unknown'), 'unknown')
})
