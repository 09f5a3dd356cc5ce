/**
 * Tests the check of a proxy's address. It is made when the proxy is set, and again at each connection, after the name
 * of the proxy was resolved.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { proxyRoute } from '../../../src/egress/proxy-route.ts'
import { NameUnresolved } from '../../../src/egress/resolve.ts'

/** Resolves the name of the proxy as Node does: to one address, or with `all` to all addresses. */
function look(addresses: string[], allow: string[] = [], all = true): Promise<unknown> {
  const { lookup } = proxyRoute('http://proxy.example:3128', parseRanges(allow), async () => addresses)
  return new Promise((resolve, reject) =>
    lookup('proxy.example', { all }, (error, address, family) => (error ? reject(error) : resolve([address, family]))),
  )
}
const blocked = { code: 'EGRESS_BLOCKED', message: 'the address of the proxy is private, loopback or reserved' }

test('an address of our own network in the URL is refused without a look-up', () => {
  const never = () => assert.fail('looked up')
  for (const url of [
    'http://127.0.0.1:8081',
    'http://0x7f.1',
    'socks5://10.0.0.1',
    'https://[::1]:8443',
    'http://169.254.169.254',
  ])
    assert.throws(() => proxyRoute(url, [], never), blocked, url)
  assert.equal(proxyRoute('http://8.8.8.8:3128', [], never).url, 'http://8.8.8.8:3128')
  assert.ok(proxyRoute('socks5://10.0.0.1', parseRanges(['10.0.0.0/8']), never))
})

test('a name is refused when one of its addresses is in our own network, unless the operator allows it', async () => {
  assert.deepEqual(await look(['8.8.8.8']), [[{ address: '8.8.8.8', family: 4 }], undefined])
  assert.deepEqual(await look(['2606:4700::1'], [], false), ['2606:4700::1', 6])
  await assert.rejects(look(['8.8.8.8', '192.168.1.1']), blocked)
  await assert.rejects(look(['::ffff:127.0.0.1'], [], false), blocked)
  assert.deepEqual(await look(['192.168.1.1'], ['192.168.0.0/16'], false), ['192.168.1.1', 4])
  const unknown = async () => Promise.reject(new NameUnresolved('x'))
  const { lookup } = proxyRoute('http://proxy.example:3128', [], unknown)
  const error = await new Promise((resolve) => lookup('proxy.example', { all: true }, resolve))
  assert.match(String(error), /the host name of the proxy/)
})
