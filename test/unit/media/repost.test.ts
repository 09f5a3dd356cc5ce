/**
 * Tests from which addresses a forwarded file may be fetched. The path of the file is part of the message, which is not
 * trusted.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SECOND } from '../../../src/domain/clock.ts'
import { LOOPBACK, parseRanges } from '../../../src/egress/addresses.ts'
import { createNetworkRoute, type NetworkRoute } from '../../../workers/shard/connection/network-route.ts'
import { reposted } from '../../../workers/shard/media/repost.ts'
import { startHostileHost } from '../../harness/file-host.ts'

const host = await startHostileHost()
const tempDir = await mkdtemp(join(tmpdir(), 'svc-repost-'))
after(async () => {
  await host.stop()
  await rm(tempDir, { recursive: true, force: true })
})

async function forward(directPath: string, route: NetworkRoute): Promise<unknown> {
  const media = { tempDir, downloadMs: 5 * SECOND, files: () => route.files }
  try {
    return await reposted(
      { media } as never,
      { imageMessage: { directPath, mediaKey: Buffer.alloc(32, 1) } },
      { from: '5511988880002@s.whatsapp.net', to: { kind: 'newsletter' } },
    )
  } catch (error) {
    return error
  } finally {
    await route.close()
  }
}

test('the answer of the host of files leads nowhere else', async (t) => {
  const own = createServer((_, response) => response.end('the inside of our network'))
  const asked: unknown[] = []
  own.on('request', ({ url }) => asked.push(url)).listen(0, '127.0.0.1')
  await once(own, 'listening')
  t.after(() => own.close())
  const inside = `http://127.0.0.1:${(own.address() as AddressInfo).port}/restart`
  const path = host.answer((response) => response.writeHead(302, { location: inside }).end())
  const failed = await forward(path, await createNetworkRoute(host.network, null, []))
  assert.deepEqual([(failed as { code?: unknown }).code, asked], ['media_download_failed', []])
  assert.ok(host.asked.includes(path), 'it was asked')
})

test('a file lies on the host of files, whatever its path is made of', async (t) => {
  const tunnels: unknown[] = []
  const proxy = createServer().on('connect', ({ url }, socket) => {
    tunnels.push(url)
    socket.end('HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => proxy.close())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const codes = []
  for (const path of ['.evil.example/x', ':8443/x', '@evil.example/x', '/v/t62', 'v/t62']) {
    const failed = await forward(path, await createNetworkRoute(host.network, url, parseRanges(LOOPBACK)))
    codes.push((failed as { code?: unknown }).code)
  }
  assert.deepEqual(
    codes,
    codes.map(() => 'media_download_failed'),
  )
  assert.deepEqual([...new Set(tunnels)], ['mmg.whatsapp.net:443'])
})
