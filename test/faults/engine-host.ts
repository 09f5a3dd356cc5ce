/**
 * Runs a service that hosts all instances that it knows. Its engine also takes commands from other services, on the
 * port in the first argument.
 */
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { createClusterEngine } from '../../src/peer/engine/cluster-engine.ts'
import { peerKeyOf } from '../../src/peer/peer-key.ts'
import { openPeerPort } from '../../src/peer/peer-port.ts'

const port = Number(process.argv[2])
const { config } = readConfig({ env: process.env })
const log = createLog(config.logging, 'main')
const service = await startService(config, { log })
const key = peerKeyOf(new Uint8Array(32))
const engine = createClusterEngine({ local: service.engine, homes: { whereIs: () => 'here' }, key, log })
await openPeerPort({
  host: '127.0.0.1',
  port,
  key,
  log,
  server: { takePassedOn: () => false, isStopping: () => false },
  ownId: () => 'a',
  engine: () => engine.port,
  member: () => undefined,
})
process.stdout.write(`${JSON.stringify({ base_url: service.baseUrl, admin_key: service.adminKey })}\n`)
