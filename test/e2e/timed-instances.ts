/**
 * Runs an instance with controlled timers of Node, so that tests of minutes and days run in seconds. The instance runs
 * in this thread with the real library, and the network has its own thread.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, mock } from 'node:test'
import { DEFAULT_SETTINGS, type InstanceConfig, type RuntimeState } from '../../src/domain/instance.ts'
import type { ShardSetup, StartHow } from '../../src/engine/engine.ts'
import { createLog } from '../../src/log.ts'
import { surviveRejections } from '../../workers/shard/baileys/thread/rejections.ts'
import { createInstance, type HostedInstance } from '../../workers/shard/instance.ts'
import { type OpenShard, openShard } from '../../workers/shard/open-shard.ts'
import { type SandboxThread, startSandboxThread } from '../harness/network.ts'
import '../harness/library-deadlines.ts'
import { callTo } from '../harness/calls.ts'
import { createSandbox, type Sandbox } from '../harness/sandbox.ts'
import { newPhone } from './states-seen.ts'

/** Node's own timer, for waits in real time. The controlled timers replace it elsewhere. */
const { setTimeout: realTimeout } = globalThis
const reality = (ms: number) => new Promise<void>((resolve) => realTimeout(resolve, ms))

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const DAY = 24 * 60 * MINUTE

let dir: string
let network: SandboxThread
export let sandbox: Sandbox
export let shard: OpenShard
export const seen = new Map<string, { at: number; state: RuntimeState }[]>()

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-timers-'))
  network = await startSandboxThread()
  sandbox = createSandbox(network.controlUrl)
  const { url, root, ca, media_host } = network.network
  const silent = () => {}
  after(surviveRejections(silent))
  const setup: ShardSetup = {
    shard: 0,
    storeUrl: `lmdb:${join(dir, 'state')}`,
    linksKey: randomBytes(32),
    network: { url, root, ca, mediaHost: media_host, verify: 'strict' },
    egressAllow: [],
    media: {
      blobs: { in: 'files', dir: join(dir, 'blobs') },
      blobBudgetBytes: 1_000_000,
      blobsUsed: new BigInt64Array(new SharedArrayBuffer(8)),
      tempDir: join(dir, 'temp'),
      downloadMs: 10 * SECOND,
    },
    logging: { level: 'silent' },
    killAt: null,
  }
  shard = await openShard(
    setup,
    createLog({ level: process.env.SVC_LOG_LEVEL ?? 'silent' }, 'timers'),
    (event) => {
      if (event.type !== 'state') return
      const { instance, state } = event
      const before = seen.get(instance) ?? []
      // A report may contain the same state again, for example when a session has ended. Then it is ignored.
      if (before.at(-1)?.state !== state) seen.set(instance, [...before, { at: Date.now(), state }])
    },
    silent,
  )
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() })
})

after(async () => {
  mock.timers.reset()
  await shard.close()
  await network.stop()
  await rm(dir, { recursive: true, force: true })
})

export const holding = new Set<HostedInstance>()

afterEach(async () => {
  for (const instance of holding) await instance.stop('erase')
  holding.clear()
  await sandbox.clearFaults()
})

/**
 * Advances the clock by `ms`. After each `step` the network gets a moment to answer, because otherwise the library
 * would time out.
 */
export async function pass(ms: number, step = 10 * SECOND) {
  for (let left = ms; left > 0; left -= step) {
    mock.timers.tick(Math.min(step, left))
    await reality(30)
    await sandbox.stats()
  }
}

/**
 * Repeats `look` until it returns a value, and advances the controlled clock in small steps. All steps together are 18
 * s, which is less than the library's timeout of a login (20 s).
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | null | false | Promise<T | undefined | null | false>,
): Promise<T> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const found = await look()
    if (found) return found
    await reality(10)
    mock.timers.tick(tries < 300 ? 30 : 10)
  }
  return assert.fail(`waited for ${what}`)
}

export interface Held {
  id: string
  phone: string
  instance: HostedInstance
  state(): RuntimeState
  path(): string[]
  is(status: string, reason: string | null): Promise<RuntimeState>
  ask<T = Record<string, unknown>>(operation: string, input?: unknown): Promise<T>
}

/**
 * Returns the shard's dependencies with a monotonic clock that follows the controlled one. The real monotonic clock is
 * not controlled.
 */
export const mocked = () => ({ ...shard.deps, steady: { now: () => Date.now() } })

const KEY = randomBytes(64)

export async function hold(
  how: StartHow,
  config: InstanceConfig = configOf(),
  phone = newPhone(),
  deps = mocked(),
): Promise<Held> {
  const instance = createInstance(deps, config, KEY)
  holding.add(instance)
  seen.set(config.id, seen.get(config.id) ?? [])
  const held: Held = {
    id: config.id,
    phone,
    instance,
    state: () => seen.get(config.id)!.at(-1)!.state,
    path: () =>
      seen
        .get(config.id)!
        .flatMap(({ state }, index, all) => (all[index - 1]?.state.status === state.status ? [] : [state.status])),
    is: (status, reason) =>
      until(`${status}, ${reason}; it is ${held.state().status}, ${held.state().reason}`, () => {
        const state = held.state()
        return state.status === status && state.reason === reason && state
      }),
    ask: async <T>(operation: string, input = {}) => (await instance.call(callTo(operation, input))) as T,
  }
  if (how === 'create') await sandbox.createPhone(phone)
  await instance.start(how)
  return held
}

export function configOf(): InstanceConfig {
  const urls = {
    received_url: null,
    delivery_url: null,
    message_status_url: null,
    instance_status_url: null,
    chat_presence_url: null,
  }
  return {
    id: randomUUID(),
    tokenTag: 'tag',
    settings: { ...DEFAULT_SETTINGS },
    webhooks: { ...urls, secret: 'whsec_x' } as unknown as InstanceConfig['webhooks'],
  }
}

export interface Code {
  value: string | null
  expires_at: string
}
/**
 * Resolves with the result of the promise. The clock is advanced until then, because the result may depend on timers.
 */
export async function timed<T>(asked: Promise<T>): Promise<T> {
  let isAnswered = false
  const answered = () => {
    isAnswered = true
  }
  asked.then(answered, answered)
  await until('an answer', () => isAnswered)
  return asked
}

/** Resolves with the QR code. The clock is advanced, because there is no code while the socket is being replaced. */
export const codeOf = (held: Held): Promise<Code> => timed(held.ask<Code>('instance.qrCode'))

export async function connected(deps = mocked()): Promise<Held> {
  const held = await hold('create', configOf(), newPhone(), deps)
  await held.is('qr', 'pairing_required')
  await sandbox.scan(held.phone, (await codeOf(held)).value!)
  await held.is('connected', null)
  return held
}
