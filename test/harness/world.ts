/** The whole thing in one process: network in its thread, service with real shards, receiver; for stories and states. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { type Service, startService } from '../../src/main.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { type NetworkThread, startNetworkThread } from './network.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { loggingEnv } from './secrets.ts'

export interface World {
  gateway: Gateway
  sandbox: Sandbox
  receiver: Receiver
  service: Service
  network: NetworkThread
  dir: string
  /** Stops the service in order and starts it again on the same data; the gateway client is the new one. */
  restartService(meanwhile?: () => Promise<void>): Promise<void>
  /** Ends everything; fails when the network met anything it did not know or could not read, or a webhook was not as promised. */
  stop(options?: { undecryptable?: number }): Promise<void>
}

export interface WorldOptions {
  shards?: number
  env?: Record<string, string>
  /** What the network is made to say is not as specified: nothing is written for the check of the wire. */
  untraced?: boolean
}

export async function startWorld({ shards = 1, env = {}, untraced = false }: WorldOptions = {}): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-world-'))
  const network = await startNetworkThread({
    dataDir: join(dir, 'network'),
    controlPort: 0,
    ...(untraced ? { trace: undefined } : {}),
  })
  const receiver = await startReceiver()
  const sandbox = createSandbox(network.controlUrl)
  /** The first start takes a free port; later ones take it again, so that addresses stay what they were. */
  let port = '0'
  let service = await serve().catch(async (error) => {
    // What is up already would keep the test's process alive for ever.
    await network.stop()
    await receiver.stop()
    throw error
  })
  port = new URL(service.baseUrl).port
  const adminKey = service.adminKey!
  let gateway = await createGateway(service.baseUrl, adminKey)

  function serve() {
    const { url, root, ca, media_host } = network.network
    const { config } = readConfig({
      env: {
        PATH: process.env.PATH ?? '',
        SVC_PORT: port,
        SVC_DATA_DIR: dir,
        SVC_SHARDS: String(shards),
        ...loggingEnv(),
        SVC_NETWORK_URL: url,
        SVC_NETWORK_ROOT: root,
        SVC_NETWORK_CA: ca,
        SVC_NETWORK_MEDIA_HOST: media_host,
        SVC_INSTANCE_SLOTS: '500',
        SVC_EGRESS_ALLOW: '127.0.0.0/8,::1',
        ...env,
      },
    })
    return startService(config, { log: createLog(config.logging, 'main'), allowCrash: true, sandboxUrl: network.controlUrl })
  }

  const world: World = {
    get gateway() {
      return gateway
    },
    get service() {
      return service
    },
    sandbox,
    receiver,
    network,
    dir,
    async restartService(meanwhile) {
      await service.stop(5_000)
      await meanwhile?.()
      service = await serve()
      gateway = await createGateway(service.baseUrl, adminKey, gateway.key)
    },
    async stop({ undecryptable = 0 } = {}) {
      const stats = await sandbox.stats()
      await service.stop(5_000)
      await network.stop()
      await receiver.stop()
      await rm(dir, { recursive: true, force: true })
      assert.deepEqual(stats.unknown_queries, [], 'queries the network did not know')
      assert.equal(stats.undecryptable, undecryptable, 'messages a contact could not read')
      assert.deepEqual(receiver.problems, [], 'webhooks that were not as promised')
    },
  }
  return world
}

/** A world with a contact who has a name, an instance that is connected, and one that was never paired. */
export async function startWorldOfTwo({ me, contact }: { me: string; contact: string }) {
  const world = await startWorld()
  await world.sandbox.createContact(contact, { name: 'Ana' })
  const instance = await world.gateway.connected(world.sandbox, me, world.receiver)
  const unpaired = await world.gateway.createInstance(world.receiver)
  return { world, instance, unpaired }
}
