/**
 * If TEST_THROUGH_MEMBER is 1, the contract tests call one member of a cluster, and another member hosts all instances.
 * So each call crosses the link between the engines of the two members.
 */
import type { Engine } from '../../src/engine/engine.ts'
import { createLog } from '../../src/log.ts'
import { createTally } from '../../src/metrics/tally.ts'
import { createClusterEngine } from '../../src/peer/engine/cluster-engine.ts'
import { peerKeyOf } from '../../src/peer/peer-key.ts'
import { openPeerLink } from '../../src/peer/peer-link.ts'
import { listen } from '../../src/serve.ts'
import { freePort } from '../faults/ground.ts'

export const isThroughMember = process.env.TEST_THROUGH_MEMBER === '1'

const HOST = '127.0.0.1'
const SECRET = new Uint8Array(32)

export async function throughMember(home: Engine) {
  const log = createLog({ level: 'warn' }, 'link')
  const server = await listen({ host: HOST, port: 0 })
  const peer = { id: 'home', host: HOST, port: await freePort() }
  const link = await openPeerLink({ ...peer, secretKey: SECRET, server, tally: createTally(), log })
  const key = peerKeyOf(SECRET)
  const local = { ...home, shardOf: () => 0, survey: async () => [] }
  const there = createClusterEngine({ local, homes: { whereIs: () => 'here' }, key, log })
  link.setOwnId(peer.id)
  link.setEngine(there.port)
  const nothing: typeof local = { ...local, onEvent() {}, close: async () => {} }
  const engine = createClusterEngine({ local: nothing, homes: { whereIs: () => peer }, key, log })
  engine.setPeers([peer])
  return {
    engine: engine as Engine,
    async close() {
      await engine.close(1_000)
      await there.close(1_000)
      await link.close()
      await server.close()
    },
  }
}
