import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { startWorld } from '../harness/world.ts'
import { watch } from './states-seen.ts'

interface Proxy {
  url: string
  /** Status with which the proxy answers CONNECT; null if it opens the tunnel. */
  answer: number | null
  tunnels: number
  leave(): Promise<unknown>
}

const servers: Server[] = []
async function startProxy(): Promise<Proxy> {
  const server = createServer()
  const proxy: Proxy = {
    url: '',
    answer: null,
    tunnels: 0,
    leave: () => new Promise((resolve) => server.close(resolve)),
  }
  server.on('connect', (request, client, head) => {
    client.on('error', () => client.destroy())
    if (proxy.answer !== null) return client.end(`HTTP/1.1 ${proxy.answer} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    const [host, port] = String(request.url).split(':')
    const upstream = connect(Number(port), host, () => {
      proxy.tunnels += 1
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

const world = await startWorld()
const see = watch(world)
after(async () => {
  // The proxies are closed first. Otherwise, they would keep the process alive if something else could not be stopped.
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await world.stop()
})

const REFUSED = 'The configured proxy refused the connection.'

describe('a proxy', { concurrency: 8 }, () => {
  test('a change of the proxy is a restart, and the link goes through it', async () => {
    const proxy = await startProxy()
    const { instance } = await see.connected()
    await world.gateway.must(instance, 'PUT', '/settings', { proxy_url: proxy.url })
    await see.told(instance, 'connected', null, 5)
    assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'connecting', 'connected'])
    assert.ok(proxy.tunnels > 0)
  })

  for (const [what, answer] of [
    ['wants a password', 407],
    ['forbids it', 403],
    ['is not there', null],
  ] as const) {
    test(`5: a proxy that ${what} stops a new instance after three tries`, async () => {
      const { gateway, receiver } = world
      const proxy = await startProxy()
      proxy.answer = answer
      if (answer === null) await proxy.leave()
      const instance = await gateway.createInstance(receiver, { settings: { proxy_url: proxy.url } })
      await see.sees(instance, 'stopped', 'proxy_error', REFUSED)
      await see.told(instance, 'stopped', 'proxy_error')
      assert.deepEqual(await see.path(instance), ['created', 'starting', 'stopped'])
      // This request is enough, because only the proxy prevented the instance from connecting.
      await gateway.must(instance, 'PUT', '/settings', { proxy_url: null })
      await see.told(instance, 'qr', 'pairing_required')
      assert.match(String((await gateway.must(instance, 'GET', '/qr-code')).value), /^data:image/)
    })
  }

  test('5: a SOCKS proxy that is not there stops it as well', async () => {
    const proxy = await startProxy()
    await proxy.leave()
    const proxy_url = proxy.url.replace('http:', 'socks5:')
    const instance = await world.gateway.createInstance(world.receiver, { settings: { proxy_url } })
    await see.sees(instance, 'stopped', 'proxy_error', REFUSED)
  })

  test('5: a proxy that refuses stops a linked instance too, with its credentials', async () => {
    const proxy = await startProxy()
    proxy.answer = 407
    const { instance } = await see.connected()
    await world.gateway.must(instance, 'PUT', '/settings', { proxy_url: proxy.url })
    await see.sees(instance, 'stopped', 'proxy_error', REFUSED)
    await see.told(instance, 'stopped', 'proxy_error')
    proxy.answer = null
    assert.equal((await world.gateway.must(instance, 'POST', '/restart')).status, 'connecting')
    await see.sees(instance, 'connected', null, null)
    assert.deepEqual((await see.path(instance)).slice(4, 8), ['connected', 'connecting', 'stopped', 'connecting'])
  })

  test('15: a proxy that finds no way to the network is a lost link, tried again until it is there', async () => {
    const proxy = await startProxy()
    proxy.answer = 502
    const { instance } = await see.connected()
    await world.gateway.must(instance, 'PUT', '/settings', { proxy_url: proxy.url })
    await see.sees(instance, 'disconnected', 'connection_lost', 'The connection to the network was lost; reconnecting.')
    proxy.answer = null
    await see.sees(instance, 'connected', null, null)
  })
})
