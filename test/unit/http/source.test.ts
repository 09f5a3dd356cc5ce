import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { sourceOf, untrustedProxyWarning } from '../../../src/http/source.ts'

const of = (forwardedFor: string) => new Headers({ 'X-Forwarded-For': forwardedFor })
const none = new Headers()

test('without trusted proxies X-Forwarded-For is not read', () => {
  assert.equal(sourceOf('::ffff:192.0.2.1', of('203.0.113.9'), []), '192.0.2.1')
  assert.equal(sourceOf(undefined, of('203.0.113.9'), []), 'unknown')
})

const trusted = parseRanges(['10.0.0.0/8', 'fd00::/8'])

test('the right-most address that is no trusted proxy is the source', () => {
  assert.equal(sourceOf('10.0.0.1', of('spoofed, 203.0.113.9, 10.2.3.4'), trusted), '203.0.113.9')
  assert.equal(sourceOf('fd00::1', of('[2001:db8::7]:4711'), trusted), '2001:db8::7')
  assert.equal(sourceOf('10.0.0.1', none, trusted), '10.0.0.1')
  assert.equal(sourceOf('10.0.0.1', of('10.0.0.2, 10.0.0.3'), trusted), '10.0.0.2')
})

// An earlier bug: if a trusted proxy named no caller, the proxy itself counted as the caller, and its address is often
// in the allowlist.
test('a caller whom a trusted proxy does not name is unknown', () => {
  for (const forwardedFor of ['203.0.113.9, garbage', '203.0.113.9, 10.0.0.3 10.0.0.4', 'unix:', 'unknown, 10.0.0.2', ' , ', ''])
    assert.equal(sourceOf('10.0.0.1', of(forwardedFor), trusted), 'unknown', forwardedFor)
  for (const name of ['Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-Proto'])
    assert.equal(sourceOf('10.0.0.1', new Headers({ [name]: '203.0.113.9' }), trusted), 'unknown', name)
})

test('a near proxy that is not trusted is named once, a far caller or a trusted one never', () => {
  const told: unknown[] = []
  const hint = untrustedProxyWarning(parseRanges(['10.0.0.1/32']), { warn: (fields: unknown) => told.push(fields) })
  const named = of('198.51.100.1')
  hint('203.0.113.9', named)
  hint('10.0.0.1', named)
  hint('127.0.0.1', none)
  hint(undefined, named)
  assert.deepEqual(told, [])
  hint('::ffff:127.0.0.1', named)
  hint('192.168.0.7', named)
  assert.deepEqual(told, [{ peer: '127.0.0.1' }])
})
