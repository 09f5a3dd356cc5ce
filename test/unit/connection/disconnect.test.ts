/**
 * Tests which reason is found for the end of a socket. The library passes the network's last stanza on in its own form.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import '../../../workers/shard/baileys/thread/first.ts'
import { initAuthCreds } from '@whiskeysockets/baileys'
import { adoptSocket } from '../../../workers/shard/baileys/end.ts'
import { closedBy } from '../../../workers/shard/connection/disconnect.ts'
import { closed, listen, openSocket } from '../baileys/loopback.ts'

/** Ends the library's own socket with this error, and returns the end that the socket reports. */
async function ended(error: BinaryNode) {
  const server = await listen()
  const sock = openSocket(server.url, initAuthCreds())
  adoptSocket(sock)
  const end = closed(sock)
  sock.ws.emit('CB:stream:error', error)
  const reason = closedBy(await end)
  await server.close()
  return reason.code
}

const conflict = (type: string, attrs: Record<string, string> = {}): BinaryNode => ({
  tag: 'stream:error',
  attrs,
  content: [{ tag: 'conflict', attrs: { type } }],
})

test('a device that was removed is unlinked, with or without a code; one that was replaced is not', async () => {
  assert.equal(await ended(conflict('device_removed', { code: '401' })), 401)
  assert.equal(await ended(conflict('device_removed')), 401)
  assert.equal(await ended(conflict('replaced')), 440)
})

test('whatever the library rejects with is a reason', () => {
  for (const odd of [undefined, null, 428, 'gone']) assert.deepEqual(closedBy(odd).code, null)
})
