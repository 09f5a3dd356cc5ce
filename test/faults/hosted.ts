/**
 * Runs one instance in the process of the test, with the real store, library and network, so that the test can make the
 * store fail.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SETTINGS, type InstanceConfig, type RuntimeState } from '../../src/domain/instance.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { createLog } from '../../src/log.ts'
import type { Batch, StateStore } from '../../src/storage/contract.ts'
import { createSealer, type Sealer } from '../../src/storage/sealer.ts'
import { createHost } from '../../workers/shard/host.ts'
import { createInstance, type HostedInstance } from '../../workers/shard/instance.ts'
import { openShard } from '../../workers/shard/open-shard.ts'
import type { ShardDeps } from '../../workers/shard/shard-deps.ts'
import { startSandboxThread } from '../harness/network.ts'
import '../harness/library-deadlines.ts'
import { callTo } from '../harness/calls.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createSandbox, type Sandbox } from '../harness/sandbox.ts'
import { INSTANCE, webhookSettings } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { createPeople, PHONE } from './traffic.ts'

export const KEY = new Uint8Array(64).fill(9)

export interface HostedWorld {
  instance: HostedInstance
  config: InstanceConfig
  deps: ShardDeps
  sandbox: Sandbox
  receiver: Receiver
  store: StateStore
  sealer: Sealer
  state(): RuntimeState
  /**
   * Waits until `isSo` returns true. If the connection is lost before, the instance is reconnected immediately, because
   * the automatic attempts would wait 1, 2, 4, 8 and 16 s.
   */
  untilRelinked(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>
  /**
   * Refuses each commit for which `when` returns true, as on a full disk. Before each login, `when` also gets an empty
   * commit (`confirm`).
   */
  refuse(when: ((batch: Batch) => boolean) | null): void
  /** Makes each read fail for which `when` returns true. */
  refuseRead(when: ((key: string) => boolean) | null): void
  /** Makes reads of matching keys hang until the returned function is called. */
  stallReads(when: (key: string) => boolean): () => void
  stop(): Promise<void>
}

/**
 * Starts the network, the receiver and one instance. `account`: options of the account's phone. `refused` is
 * the `when` of `refuse` until `refuse` is called.
 */
export async function startHosted(
  phone: string,
  more: Partial<ShardDeps> = {},
  account: Record<string, unknown> = {},
  refused: ((batch: Batch) => boolean) | null = null,
): Promise<HostedWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-hosted-'))
  const thread = await startSandboxThread({ dataDir: join(dir, 'network'), controlPort: 0 })
  const sandbox = createSandbox(thread.controlUrl)
  const receiver = await startReceiver()
  const { url, root, ca, media_host: mediaHost } = thread.network
  const log = createLog({ level: process.env.SVC_LOG_LEVEL ?? 'fatal' }, 'hosted')

  let state: RuntimeState | undefined
  let refuses = refused
  let refusesRead: ((key: string) => boolean) | null = null
  let stall: { when(key: string): boolean; until: Promise<void> } | null = null
  const setup = {
    shard: 0,
    storeUrl: `lmdb:${join(dir, 'state')}`,
    linksKey: Buffer.alloc(32, 7),
    network: { url, root, ca, mediaHost, verify: 'strict' as const },
    egressAllow: ['127.0.0.0/8'],
    media: {
      blobs: { in: 'files' as const, dir: join(dir, 'blobs') },
      blobBudgetBytes: 2 ** 30,
      blobsUsed: new BigInt64Array(1),
      tempDir: join(dir, 'tmp'),
      downloadMs: 60_000,
    },
    logging: { level: 'fatal' },
    killAt: null,
  }
  const shard = await openShard(
    setup,
    log,
    (event) => {
      if (event.type === 'state') state = event.state
    },
    () => {
      throw new Error('no media in these tests')
    },
  )
  const { store } = shard.deps
  const refusing: StateStore = {
    get: async (key) => {
      if (refusesRead?.(key)) throw new StorageFailure('The store could not read a record.')
      if (stall?.when(key)) await stall.until
      return store.get(key)
    },
    range: store.range,
    count: store.count,
    close: store.close,
    confirm: async () => {
      if (refuses?.({ ops: [] })) throw new StorageFailure('Another service writes to the store.')
    },
    commit: async (batch) => {
      if (refuses?.(batch)) throw new StorageFailure('The disk is full, so nothing was stored.')
      return store.commit(batch)
    },
  }
  const config: InstanceConfig = {
    id: INSTANCE,
    tokenTag: 'tag',
    // The instance sends without pauses between messages, because these tests do not need them.
    settings: { ...DEFAULT_SETTINGS, delay_message_min_ms: 0, delay_message_max_ms: 0 },
    webhooks: webhookSettings(receiver.url),
  }
  receiver.trust(INSTANCE, config.webhooks.secret)
  const deps = { ...shard.deps, ...more, store: refusing }
  const instance = createInstance(deps, config, KEY)

  await instance.start('create')
  await sandbox.createPhone(phone, account)
  const { value } = (await instance.call(callTo('instance.qrCode'))) as { value: string }
  await sandbox.scan(phone, value)
  await until('connected', () => state?.status === 'connected')
  const world: HostedWorld = {
    instance,
    config,
    deps,
    sandbox,
    receiver,
    store,
    sealer: createSealer(KEY),
    state: () => state!,
    untilRelinked: (what, isSo) =>
      until(what, async () => {
        if (await isSo()) return true
        if (state!.status === 'disconnected') await world.instance.call(callTo('instance.restart'))
        return false
      }),
    refuse(when) {
      refuses = when
    },
    stallReads(when) {
      let release!: () => void
      const until = new Promise<void>((resolve) => {
        release = resolve
      })
      stall = { when, until }
      return () => {
        stall = null
        release()
      }
    },
    refuseRead(when) {
      refusesRead = when
    },
    async stop() {
      await world.instance.stop('keep')
      await shard.close()
      await thread.stop()
      await receiver.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return world
}

/**
 * Starts a network that drops all retry receipts (requests to send a message again). So if a message arrives although
 * the service failed, the network sent it again because it was not acknowledged.
 */
export async function startUnasked(): Promise<{ world: HostedWorld; group: string }> {
  const world = await startHosted(PHONE)
  const { group } = await createPeople(world.sandbox)
  await world.sandbox.fault({ on: 'receipt', match: { type: 'retry' }, do: 'drop' })
  return { world, group }
}

/** Creates the host of a shard thread in the process of the test. It has already handled the command `hello`. */
export async function hostOf({ deps }: Pick<HostedWorld, 'deps'>) {
  const host = createHost({
    log: createLog({ level: 'silent' }, 'host'),
    open: async () => ({ deps, prepared() {}, async close() {} }),
    createInstance,
    crash: () => assert.fail('not asked for'),
  })
  await host.run({ generation: 1, type: 'hello', setup: { storeUrl: 'none:' } })
  return host
}
