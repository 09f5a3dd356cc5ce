import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createOutside } from '../../../workers/shard/outside.ts'

const NETWORK = { url: null, root: null, ca: null, mediaHost: null, verify: 'strict' } as const

test('a host that never answers does not hold up a change of the proxy', async (t) => {
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const outside = createOutside(NETWORK, null)
  const asked = once(server, 'request')
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, outside.fetchOptions)
  const refused = assert.rejects(answer, TypeError)
  await asked
  await outside.close()
  await refused
})
