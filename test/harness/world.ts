/**
 * Starts the network in its own thread, a service with real shards, and a webhook receiver. The network and the service
 * run in this process, or in one that test files share.
 */
import assert from 'node:assert/strict'
import type { Service } from '../../src/main.ts'
import { borrowPlace, lender } from './borrowed-place.ts'
import { bundleOf } from './checkout.ts'
import { createGateway, type Gateway } from './gateway.ts'
import type { SandboxNetworkReady } from './network.ts'
import { type Place, type PlaceOptions, WITHOUT_FFMPEG } from './place.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

export interface World {
  gateway: Gateway
  sandbox: Sandbox
  receiver: Receiver
  /** The service object. It is only available in a world that is not shared with other test files. */
  service: Service
  network: SandboxNetworkReady
  /** Folder of the service's data. In a shared world it also contains the data of other test files. */
  dir: string
  /** Stops the service, runs `whileStopped`, and starts the service again. A new client then replaces `gateway`. */
  restartService(whileStopped?: () => Promise<void>): Promise<void>
  /**
   * Ends everything. Throws if the network received something that it did not know or could not decrypt, or if a
   * webhook had a wrong form or signature.
   */
  stop(options?: { undecryptable?: number }): Promise<void>
}

export interface WorldOptions extends PlaceOptions {
  /**
   * True if the test needs a world that is not shared. Such a test uses the service object or its data, changes
   * settings of the whole service, or counts all objects of a kind.
   */
  own?: boolean
  /**
   * True if the test itself opens the store of the running service. The service is then not loaded as a bundle, so that
   * it shares the storage module with the test. Only this module knows which stores the process has open, and prevents
   * a second opening of the same files.
   */
  opensStore?: boolean
}

async function placeFor({ own = false, opensStore = false, ...options }: WorldOptions): Promise<Place> {
  const isOwn = own || options.shards !== undefined || options.env !== undefined
  if (lender !== undefined && !isOwn) return borrowPlace(options.untraced ? 'untraced' : 'traced')
  // This module is imported late, because a test with a shared world does not need it.
  const { openPlace } = opensStore
    ? await import('./own-place.ts')
    : ((await import(bundleOf('./own-place', import.meta.url).href)) as typeof import('./own-place.ts'))
  return openPlace(isOwn ? { ...options, env: { ...WITHOUT_FFMPEG, ...options.env } } : options)
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const place = await placeFor(options)
  const { network, controlUrl, dir, baseUrl, adminKey } = place
  const receiver = await startReceiver()
  const sandbox = createSandbox(controlUrl)
  let gateway = await createGateway(baseUrl, adminKey)

  return {
    get gateway() {
      return gateway
    },
    get service() {
      const service = place.service()
      assert.ok(service, 'a test that looks into the service has a world of its own: startWorld({ own: true })')
      return service
    },
    sandbox,
    receiver,
    network: { network, controlUrl },
    dir,
    async restartService(whileStopped) {
      await place.stopService()
      await whileStopped?.()
      await place.startService()
      gateway = await createGateway(baseUrl, adminKey, gateway.key)
    },
    async stop({ undecryptable = 0 } = {}) {
      const stats = await sandbox.stats()
      await place.end()
      await receiver.stop()
      assert.deepEqual(stats.unknown_queries, [], 'queries the network did not know')
      assert.equal(stats.undecryptable, undecryptable, 'messages a contact could not read')
      assert.deepEqual(receiver.problems, [], 'webhooks that were not as promised')
    },
  }
}

/** Starts a world with a contact who has a name, a connected instance, and an instance that was never paired. */
export async function startWorldOfTwo({ me, contact, ...options }: { me: string; contact: string } & WorldOptions) {
  const world = await startWorld(options)
  await world.sandbox.createContact(contact, { name: 'Ana' })
  const instance = await world.gateway.connected(world.sandbox, me, world.receiver)
  const unpaired = await world.gateway.createInstance(world.receiver)
  return { world, instance, unpaired }
}
