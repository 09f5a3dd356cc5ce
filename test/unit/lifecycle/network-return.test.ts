import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { CREATED, type RuntimeState } from '../../../src/domain/instance.ts'
import { deferred } from '../../../src/lib/deferred.ts'
import type { LoopShare } from '../../../src/lib/loop-share.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { createSlot } from '../../../workers/shard/context/slot.ts'
import { createNetworkReturn, type NetworkReturn } from '../../../workers/shard/lifecycle/network-return.ts'
import { runtimeRecords } from '../../../workers/shard/lifecycle/runtime-record.ts'
import { createStatus } from '../../../workers/shard/lifecycle/status.ts'
import { INSTANCE, START, tempStore } from '../storage/fixtures.ts'

const sealer = createSealer(new Uint8Array(32).fill(7))
const CONNECTED: RuntimeState = { ...CREATED, status: 'connected', paired: true }
const CUT = { type: 'closed', code: 428, message: 'cut', expireSeconds: null } as const

/** A connected instance. `effects` has the names of what its status has carried out. */
async function connected(t: TestContext, network: NetworkReturn, share: LoopShare = () => undefined) {
  const store = await tempStore(t)
  await store.commit({ ops: [runtimeRecords(sealer).encode(keys.runtime(INSTANCE), CONNECTED)] })
  const effects: string[] = []
  const status = createStatus(
    { id: INSTANCE as never, store, sealer, clock: { now: () => START }, log: pino({ level: 'silent' }) },
    {
      state: createSlot(CREATED),
      random: () => 0.5,
      outbox: { wanted: () => false } as never,
      announce() {},
      carryOut: async (effect) => void effects.push(effect.do),
      onChange() {},
      network,
      share,
    },
  )
  await status.load(false)
  t.after(() => status.stop())
  return { status, effects }
}

test('whoever waits for the next attempt begins it when another instance reaches the network', async (t) => {
  const network = createNetworkReturn({ now: () => 0 })
  const [first, second] = [await connected(t, network), await connected(t, network)]
  for (const { status } of [first, second]) for (let attempt = 0; attempt < 5; attempt++) await status.handle(CUT)
  await first.status.handle({ type: 'timer', name: 'retry' })
  assert.ok(!second.effects.includes('open'))
  await first.status.handle({ type: 'loggedIn' })
  // This event changes nothing. Events are handled in their order, so the attempt that the second instance was told to
  // begin has been handled before it.
  await second.status.handle({ type: 'timer', name: 'ban' })
  assert.deepEqual(
    second.effects.filter((effect) => effect === 'open'),
    ['open'],
  )
  // Its attempt is under way now, so it is not told a second time.
  await first.status.handle(CUT)
  await first.status.handle({ type: 'loggedIn' })
  await second.status.handle({ type: 'timer', name: 'ban' })
  assert.deepEqual(
    second.effects.filter((effect) => effect === 'open'),
    ['open'],
  )
})

test('25 instances are told in a second, each of them once in 30 seconds, and none that has left or is connected', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  /** Lets `ms` pass in steps of 40 ms. In one long step, a timer that another timer sets would not run. */
  const pass = (ms: number) => {
    for (let step = 0; step < ms / 40; step++) t.mock.timers.tick(40)
  }
  let now = 0
  const network = createNetworkReturn({ now: () => now })
  const told: number[] = []
  const leave = Array.from({ length: 30 }, (_, index) =>
    network.join({ isWaiting: () => index !== 3, attempt: () => void told.push(index) }),
  )
  const all = leave.map((_, index) => index).filter((index) => index !== 3 && index !== 29)
  network.reached()
  leave[29]!()
  pass(960)
  assert.deepEqual(told, all.slice(0, 25))
  network.reached()
  pass(1_000)
  assert.deepEqual(told, all)

  now = 29_999
  network.reached()
  pass(1_000)
  assert.deepEqual(told, all)
  now = 30_000
  network.reached()
  pass(1_200)
  assert.deepEqual(told, [...all, ...all])
})

test('an event of a session waits for its share of the event loop, and a request does not', async (t) => {
  const share = deferred()
  const { status, effects } = await connected(t, createNetworkReturn({ now: () => 0 }), () => share.promise)
  await status.handle({ type: 'pauseRequested' })
  const before = effects.length
  await status.handle({ type: 'resumeRequested' })
  const cut = status.handle(CUT)
  await new Promise((resolve) => setImmediate(resolve))
  const whileWaiting = effects.length
  share.resolve()
  await cut
  assert.ok(before < whileWaiting, 'both requests were carried out')
  assert.ok(whileWaiting < effects.length, 'the end of the session was handled behind its share')
})

test('the operator limits how many instances are told in a second', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const network = createNetworkReturn({ now: () => 0 }, 2)
  let told = 0
  for (let index = 0; index < 5; index++) network.join({ isWaiting: () => true, attempt: () => void told++ })
  network.reached()
  for (const expected of [1, 2, 3]) {
    assert.equal(told, expected)
    t.mock.timers.tick(500)
  }
})
