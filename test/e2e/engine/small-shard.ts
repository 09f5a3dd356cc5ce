/**
 * A shard thread for tests of the supervision of threads. It really hosts instances, but they are small replacements
 * without library, network and storage.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { threadId, workerData } from 'node:worker_threads'
import { CREATED, type InstanceConfig, type RuntimeState } from '../../../src/domain/instance.ts'
import type { ThreadData, ThreadTask } from '../../../src/engine/protocol.ts'
import { answerMain } from '../../../src/engine/thread-messages.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { createCrash } from '../../../workers/shard/crash.ts'
import { createHost } from '../../../workers/shard/host.ts'
import type { HostedInstance } from '../../../workers/shard/instance.ts'
import { createKeyCache } from '../../../workers/shard/keys/key-store.ts'
import type { ShardDeps } from '../../../workers/shard/shard-deps.ts'
import { createWorkMeter } from '../../../workers/shard/usage/work-meter.ts'

const data = workerData as ThreadData
const CLOCK = { now: Date.now, learned() {}, ahead: () => 0, contradicted: () => 0 }
const silent = { info() {}, warn() {}, error() {} }

/** Number of starts of the instance `full-disk` at a boot. Only the first of them fails, as on a full disk. */
let starts = 0

function createSmallInstance(deps: ShardDeps, first: InstanceConfig): HostedInstance {
  let config = first
  let calls = 0
  const state = (): RuntimeState => ({
    ...CREATED,
    status: config.id.startsWith('idle') ? 'stopped' : 'connected',
    profileName: `born at ${Date.now()}`,
  })
  return {
    async start(how) {
      if (how === 'create' && config.id === 'unstartable') throw new Error('no session for this one')
      if (how === 'boot' && config.id === 'full-disk' && starts++ === 0) throw new Error('no space left on device')
      if (how === 'create' && config.id === 'slow') return new Promise(() => {})
      const born = state()
      deps.announce({ type: 'state', instance: config.id, state: born })
      return born
    },
    async configure(next) {
      config = next
    },
    async call({ operation, input }) {
      calls++
      switch (operation) {
        case 'never':
          return new Promise(() => {})
        case 'late':
          return pause(input as unknown as number, { calls })
        case 'throw':
          throw new TypeError('not a failure')
        case 'webhooks.resendMany':
          return { queued: (input as { eventIds: string[] }).eventIds.length }
        default:
          return { input, calls, threadId, shard: data.shard, proxy: config.settings.proxy_url }
      }
    },
    async stop() {},
    aheadMs: () => 0,
    reading: () => ({
      waiting: calls,
      backlog: 0,
      lastInboundAt: null,
      attempts: { delivered: 0, retry: 0, failed: 0, discarded: 0 },
      refusedSince: null,
      work: {
        since: 0,
        cpuMs: 0,
        sent: calls,
        received: 0,
        reconnects: 0,
        lastSentAt: null,
        lastReceivedAt: null,
        heldBytes: 0,
      },
    }),
  }
}

const tally = createTally()

export function live({ port, announced }: ThreadTask): Promise<never> {
  const main = answerMain(port, announced)
  const host = createHost({
    log: silent,
    open: async () => ({
      deps: {
        announce: main.say,
        tally,
        clock: CLOCK,
        meter: createWorkMeter(),
        keyCache: createKeyCache({ maxEntries: 1 }),
      } as unknown as ShardDeps,
      prepared() {},
      async close() {},
    }),
    createInstance: createSmallInstance,
    crash: createCrash(data.allowCrash),
  })
  main.serve(host.run)
  return new Promise(() => {})
}
