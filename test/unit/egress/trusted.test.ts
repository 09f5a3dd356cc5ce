/**
 * Tests that all connections to the network's hosts share one set of trusted certificates. Parsing the certificates
 * that Node contains takes longer than the rest of a connection.
 */
import assert from 'node:assert/strict'
import { get } from 'node:https'
import { mock, test } from 'node:test'
import tls from 'node:tls'
import { request } from '../../../src/egress/undici.ts'
import { createNetworkRoute } from '../../../workers/shard/connection/network-route.ts'
import { startHostileHost } from '../../harness/file-host.ts'

test('connections to the network read the certificates that they trust once', async (t) => {
  const host = await startHostileHost()
  t.after(() => host.stop())
  const path = host.answer((response) => response.writeHead(200, { connection: 'close' }).end('here'))
  const routes = await Promise.all([1, 2].map(() => createNetworkRoute(host.network, null, [])))
  // `connect` of node:tls calls this function for each connection that was given no context.
  const made = mock.method(tls, 'createSecureContext')
  t.after(() => made.mock.restore())

  for (const { files, fetchAgent } of routes) {
    for (let connection = 0; connection < 2; connection++) {
      const { statusCode, body } = await request(`https://mmg.whatsapp.net${path}`, { dispatcher: files })
      assert.deepEqual([statusCode, await body.text()], [200, 'here'])
      const status = await new Promise((resolve, reject) => {
        const [hostname, port] = host.network.mediaHost!.split(':')
        get({ hostname, port, path, agent: fetchAgent, servername: 'mmg.whatsapp.net' }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode))
        }).on('error', reject)
      })
      assert.equal(status, 200)
    }
    await files.destroy()
  }
  assert.equal(host.asked.length, 8)
  assert.equal(made.mock.callCount(), 0)
})
