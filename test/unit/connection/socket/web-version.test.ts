import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildConnector } from 'undici'
import type { NetworkOptions } from '../../../../src/engine/engine.ts'
import { BUILT_IN_VERSION } from '../../../../workers/shard/connection/socket/client-version.ts'
import { openWebVersion } from '../../../../workers/shard/connection/socket/web-version.ts'
import { recordingLog, tempStore } from '../../storage/fixtures.ts'
import { type Answer, receiver } from '../../webhooks/receiver.ts'

const REAL: NetworkOptions = { url: null, root: null, ca: null, mediaHost: null, verify: 'strict' }
const WORKER = 'self.x=JSON.parse("{\\"server_revision\\":7,\\"client_revision\\":2000000001,\\"tier\\":1}")'
const NEWEST = [2, 3000, 2_000_000_001]

/** Simulates the web: every host name has a public address, but every connection leads to the server of this test. */
async function world(t: TestContext, answer: Answer = (response) => response.end(WORKER)) {
  const store = await tempStore(t)
  const log = recordingLog()
  const host = await receiver(t, () => answer)
  const asked: string[] = []
  const dial = buildConnector({})
  const open = (more: { network?: NetworkOptions; wanted?: [number, number, number] } = {}) =>
    openWebVersion({
      store,
      log,
      wanted: more.wanted ?? null,
      network: more.network ?? REAL,
      allow: [],
      egress: {
        async resolve(hostname) {
          asked.push(hostname)
          return ['8.8.8.8']
        },
        dial: (options, _addresses, callback) =>
          dial({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: String(host.port) }, callback),
      },
    })
  return { open, asked, host, log, store }
}

// An earlier bug: the service sent the version that its release contains until the instance stopped, although the
// network refused this version.
test('after a refusal the real network’s own web client is asked, and what it says is named, over a restart, too', async (t) => {
  const { open, asked, host } = await world(t)
  const version = await open()
  assert.deepEqual(version.current(), BUILT_IN_VERSION)
  assert.deepEqual(asked, [], 'nothing is asked at a start')
  assert.equal(await version.refused(BUILT_IN_VERSION), true)
  assert.deepEqual(version.current(), NEWEST)
  assert.deepEqual(asked, ['web.whatsapp.com'])
  const [{ path, headers }] = host.received as [(typeof host.received)[0]]
  assert.deepEqual([path, headers.host, headers['sec-fetch-site']], ['/sw.js', 'web.whatsapp.com', 'none'])
  assert.deepEqual((await open()).current(), NEWEST)
})

test('of another network nobody is asked', async (t) => {
  const { open, asked } = await world(t)
  for (const network of [
    { ...REAL, url: 'ws://127.0.0.1:1/' },
    { ...REAL, root: 'AA==' },
  ]) {
    const version = await open({ network })
    await version.refused(version.current())
    assert.deepEqual(version.current(), BUILT_IN_VERSION)
  }
  assert.deepEqual(asked, [])
})

test('an answer without a version is logged, leads to nobody else, and leaves the version', async (t) => {
  const answers: Answer[] = [
    404,
    (response) => response.end('<html>'),
    (response) => response.writeHead(302, { location: 'https://elsewhere.example/sw.js' }).end(),
  ]
  for (const answer of answers) {
    const { open, asked, log } = await world(t, answer)
    const version = await open()
    assert.equal(await version.refused(BUILT_IN_VERSION), false)
    assert.deepEqual(version.current(), BUILT_IN_VERSION)
    assert.deepEqual(asked, ['web.whatsapp.com'])
    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [['warn', 'a newer client version could not be fetched']],
    )
  }
})

test('what the operator wants is named at the next start; once it is refused it is not, and the log says so', async (t) => {
  const { open, log } = await world(t, 404)
  const wanted: [number, number, number] = [2, 3000, 5]
  const version = await open({ wanted })
  assert.deepEqual(version.current(), wanted)
  assert.equal(await version.refused(wanted), true)
  assert.deepEqual(version.current(), BUILT_IN_VERSION)
  log.lines.length = 0
  assert.deepEqual((await open({ wanted })).current(), BUILT_IN_VERSION)
  assert.match(log.lines[0]!.message, /refused the client version in SVC_WEB_VERSION/)
})
