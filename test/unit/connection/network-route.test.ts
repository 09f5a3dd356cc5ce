import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { createNetworkRoute, type NetworkRoute } from '../../../workers/shard/connection/network-route.ts'

/**
 * Sends a request through an agent of node:https, to an address that is reserved for examples. Returns the answer of
 * the proxy, or the error.
 */
const outcome = (agent: NetworkRoute['agent']): Promise<string> =>
  new Promise((resolve) =>
    get('https://192.0.2.1/', { agent }, (response) => {
      response.resume()
      resolve(`answered ${response.statusCode}`)
    }).on('error', ({ message }) => resolve(message)),
  )

const NETWORK = { url: null, root: null, ca: null, mediaHost: null, verify: 'strict' } as const

test('a host that never answers does not hold up a change of the proxy', async (t) => {
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const route = await createNetworkRoute(NETWORK, null, [])
  const asked = once(server, 'request')
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, route.fetchOptions)
  const refused = assert.rejects(answer, TypeError)
  await asked
  await route.close()
  await refused
})

for (const scheme of ['http', 'socks5'])
  test(`a ${scheme} proxy whose name means our own network is not connected to, unless the operator allows it`, async (t) => {
    let connections = 0
    const proxy = createServer().on('connection', () => connections++)
    proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'))
    proxy.listen(0, 'localhost')
    await once(proxy, 'listening')
    t.after(() => proxy.close())
    const url = `${scheme}://localhost:${(proxy.address() as AddressInfo).port}`

    const guarded = await createNetworkRoute(NETWORK, url, [])
    assert.match(await outcome(guarded.agent), /the address of the proxy is private/)
    assert.match(await outcome(guarded.fetchAgent), /the address of the proxy is private/)
    const fetched = await fetch('https://192.0.2.1/', guarded.fetchOptions).catch((error: Error) => error)
    assert.match(String((fetched as Error).cause), /the address of the proxy is private/)
    await guarded.close()
    assert.equal(connections, 0)

    const open = await createNetworkRoute(NETWORK, url, parseRanges(['127.0.0.0/8', '::1/128']))
    await outcome(open.agent)
    await assert.rejects(fetch('https://192.0.2.1/', open.fetchOptions))
    await open.close()
    assert.ok(connections >= 2, `${connections}`)
  })

test('a proxy in our own network, written as an address, is refused before anything is connected', async () => {
  await assert.rejects(createNetworkRoute(NETWORK, 'http://127.0.0.1:8081', []), { code: 'EGRESS_BLOCKED' })
})
