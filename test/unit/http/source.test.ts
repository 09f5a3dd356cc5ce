import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { createProxyHint, sourceOf } from '../../../src/http/source.ts'

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

test('a near proxy that is not trusted is named once, a far caller or a trusted one never', () => {
  const told: unknown[] = []
  const hint = createProxyHint(parseRanges(['10.0.0.1/32']), { warn: (fields: unknown) => told.push(fields) })
  hint('203.0.113.9', '198.51.100.1')
  hint('10.0.0.1', '198.51.100.1')
  hint('127.0.0.1', null)
  hint(undefined, '198.51.100.1')
  assert.deepEqual(told, [])
  hint('::ffff:127.0.0.1', '198.51.100.1')
  hint('192.168.0.7', '198.51.100.1')
  assert.deepEqual(told, [{ peer: '127.0.0.1' }])
})
