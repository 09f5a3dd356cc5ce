/** Tests what happens to other instances if the network refuses a version of the web client. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openStore } from '../../src/storage/open-store.ts'
import { BUILT_IN_VERSION } from '../../workers/shard/connection/socket/client-version.ts'
import { openWebVersion } from '../../workers/shard/connection/socket/web-version.ts'
import { startWorld } from '../harness/world.ts'
import { recordingLog } from '../unit/storage/fixtures.ts'
import { watch } from './states-seen.ts'

const WANTED = '2.3000.5'

const world = await startWorld({ opensStore: true, env: { SVC_WEB_VERSION: WANTED } })
const see = watch(world)
after(() => world.stop())

async function stored() {
  const store = await openStore(`lmdb:${world.dir}/state`)
  try {
    const network = { url: 'ws://127.0.0.1:1/', root: null, ca: null, mediaHost: null, verify: 'strict' as const }
    return (await openWebVersion({ store, log: recordingLog(), wanted: null, network, allow: [] })).state()
  } finally {
    await store.close()
  }
}

// An earlier bug: a refusal was attributed to the version that was current when the refusal arrived, so good versions
// were marked as refused.
test('a refused version is left for a better one, and a late refusal of it says nothing about the better one', async () => {
  const first = await see.connected()
  const second = await see.connected()
  assert.equal((await stored()).lastGood?.join('.'), WANTED)

  await world.sandbox.fault({ on: 'login', match: { version: WANTED }, do: { failure: 405 } })
  await world.sandbox.cut(first.phone)
  await see.told(first.instance, 'disconnected', 'connection_closed')
  await see.told(first.instance, 'connected', null, 6)
  assert.deepEqual((await stored()).lastGood, BUILT_IN_VERSION)

  await see.strike(second.instance, second.phone, { failure: 405 })
  await see.told(second.instance, 'disconnected', 'client_outdated')
  await see.told(second.instance, 'connected', null, 5)
  assert.deepEqual(
    (await stored()).refused.map((version) => version.join('.')),
    [WANTED],
  )
  await world.sandbox.clearFaults()
})
