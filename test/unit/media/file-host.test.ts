/**
 * Tests the time limits of the file host, and the maximum size of a file whose length is unknown.
 * `test/e2e/received-media-hostile.test.ts` tests its other behaviour.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SECOND } from '../../../src/domain/clock.ts'
import { createFileHost } from '../../../src/media/file-host.ts'
import { createRoutes } from '../../../src/media/routes.ts'
import { startHostileHost } from '../../harness/file-host.ts'

const quiet = { info() {}, warn() {}, error() {} }
const host = await startHostileHost()
after(() => host.stop())

/** Reads `count` pieces of a file one at a time. Each piece takes `takesMs` on the simulated clock. */
async function read(count: number, takesMs: number, size = 1, maxSealed?: number): Promise<number> {
  let next = () => {}
  const path = host.answer((response) => {
    let left = count
    next = () => (left-- > 0 ? void response.write(Buffer.alloc(size)) : void response.end())
    response.writeHead(200).flushHeaders()
    next()
  })
  let at = 0
  const now = () => {
    at += takesMs / 2
    return at
  }
  const routes = createRoutes({ network: host.network, proxyRoute: assert.fail, log: quiet })
  const stopped = new AbortController()
  const file = { kind: 'document', mediaKey: Buffer.alloc(32), fileSha256: null, fileEncSha256: null, fileLength: null } as const
  try {
    const answer = await createFileHost(routes, now, maxSealed).get({ file, path, proxyUrl: null }, stopped.signal)
    assert.ok('body' in answer)
    let length = 0
    for await (const chunk of answer.body) {
      length += chunk.length
      next()
    }
    return length
  } finally {
    stopped.abort()
    await routes.of(null).destroy()
  }
}

test('a host that drips is left, though it is never silent for long', async () => {
  await assert.rejects(read(100, 20 * SECOND), /too slow/)
})

test('one that is slow and not that slow may take its time', async () => {
  assert.equal(await read(20, SECOND), 20)
  // The pieces arrive at 16 KB per second for a minute. This is slow, but fast enough.
  assert.equal(await read(60, SECOND, 16_384), 60 * 16_384)
})

test('one that sends more than any file has is left', async () => {
  assert.equal(await read(10, 0, 1_000, 10_000), 10_000)
  await assert.rejects(read(11, 0, 1_000, 10_000), /length/)
})
