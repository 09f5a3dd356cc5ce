/**
 * Tests when the record of the archive into which an instance was moved is removed. If the record still existed at a
 * later move, the export would take the earlier archive for its own, and remove messages that this archive does not
 * contain.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { movedTo, movedToOp } from '../../../src/archive/moved-to.ts'
import { CREATED, type RuntimeState } from '../../../src/domain/instance.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { changeState } from '../../../workers/portability/export/moved.ts'
import { createSlot } from '../../../workers/shard/context/slot.ts'
import { createNetworkReturn } from '../../../workers/shard/lifecycle/network-return.ts'
import { runtimeRecords } from '../../../workers/shard/lifecycle/runtime-record.ts'
import { createStatus } from '../../../workers/shard/lifecycle/status.ts'
import { INSTANCE, START, tempStore } from '../storage/fixtures.ts'

const RING_KEY = new Uint8Array(32).fill(7)
const sealer = createSealer(RING_KEY)
const CONNECTED: RuntimeState = { ...CREATED, status: 'connected', paired: true }
const MOVED: RuntimeState = { ...CONNECTED, status: 'stopped', reason: 'moved' }

/** Stores an instance in this state, and the record of an archive. `isRecorded` says whether the record is there. */
async function stored(t: TestContext, state: RuntimeState) {
  const store = await tempStore(t)
  const record = movedToOp(sealer, INSTANCE, { path: '/archive', made: START })
  await store.commit({ ops: [runtimeRecords(sealer).encode(keys.runtime(INSTANCE), state), record] })
  return { store, isRecorded: async () => (await movedTo(store, sealer, INSTANCE)) !== undefined }
}

async function handled(t: TestContext, state: RuntimeState, type: 'moveRequested' | 'resumeRequested' | 'disconnectRequested') {
  const { store, isRecorded } = await stored(t, state)
  const clock = { now: () => START }
  const status = createStatus(
    { id: INSTANCE as never, store, sealer, clock, log: pino({ level: 'silent' }) },
    {
      state: createSlot(CREATED),
      random: () => 0,
      outbox: { wanted: () => false } as never,
      announce() {},
      async carryOut() {},
      onChange() {},
      network: createNetworkReturn(clock),
      share: () => undefined,
    },
  )
  await status.load(false)
  await status.handle({ type })
  await status.stop()
  return isRecorded()
}

test('the commit with which a move begins or ends removes the record of an earlier archive, and a repeated move keeps it', async (t) => {
  assert.equal(await handled(t, MOVED, 'resumeRequested'), false)
  assert.equal(await handled(t, MOVED, 'disconnectRequested'), false)
  assert.equal(await handled(t, CONNECTED, 'moveRequested'), false)
  assert.equal(await handled(t, MOVED, 'moveRequested'), true)
})

test('a command without a service removes the record in the same cases', async (t) => {
  for (const [state, change, expected] of [
    [MOVED, 'resume', false],
    [CONNECTED, 'move', false],
    [MOVED, 'move', true],
  ] as const) {
    const { store, isRecorded } = await stored(t, state)
    await changeState(store, INSTANCE, RING_KEY, change)
    assert.equal(await isRecorded(), expected)
  }
})
