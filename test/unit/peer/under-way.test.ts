import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../src/domain/failures.ts'
import { NotHosted } from '../../../src/engine/unavailable.ts'
import { createUnderWay } from '../../../src/peer/engine/under-way.ts'

const reasonOf = (error: unknown) => (error instanceof Failure ? `${error.code} ${error.details?.reason}` : String(error))

/** Starts a call of an instance. Calling `fail` with an error makes the call fail. */
function callIn(underWay: ReturnType<typeof createUnderWay>, instance: string) {
  let fail!: (error: unknown) => void
  const result = underWay.run(instance, () => new Promise<never>((_, reject) => (fail = reject))).catch(reasonOf)
  return { result, fail }
}

test('a stop waits for the calls of its instance that are under way, and no longer than its time', async () => {
  const underWay = createUnderWay()
  const ends = underWay.run('i', () => pause(30, 'done'))
  const other = callIn(underWay, 'other')
  assert.deepEqual([underWay.has('i'), underWay.has('nobody')], [true, false])
  await underWay.stop('i', 5_000, async () => {})
  assert.equal(underWay.has('i'), false)
  assert.equal(await ends, 'done')
  const begun = performance.now()
  await underWay.beforeStopOfAll(30)
  assert.ok(performance.now() - begun >= 25)
  other.fail(new Failure('instance_not_connected'))
  assert.equal(await other.result, 'engine_unavailable outcome_unknown')
})

test('only a call that a stop cuts has an unknown outcome, and not if nothing of it was carried out', async () => {
  const underWay = createUnderWay()
  const before = callIn(underWay, 'i')
  before.fail(new Failure('instance_not_connected'))
  assert.equal(await before.result, 'instance_not_connected undefined')
  const failures = [
    [new Failure('engine_unavailable'), 'engine_unavailable outcome_unknown'],
    [new Failure('engine_unavailable', { details: { reason: 'not_started' } }), 'engine_unavailable not_started'],
    [new NotHosted(), 'engine_unavailable undefined'],
    [new Failure('group_not_found'), 'group_not_found undefined'],
  ] as const
  for (const [failure, expected] of failures) {
    const call = callIn(underWay, 'i')
    await underWay.stop('i', 1, async () => {})
    call.fail(failure)
    assert.equal(await call.result, expected)
  }
})

test('a call that begins during the stop of its instance may be carried out, so its outcome is unknown, too', async () => {
  const underWay = createUnderWay()
  let end = () => {}
  const stop = underWay.stop('i', 1, () => new Promise<void>((resolve) => (end = resolve)))
  await pause(10)
  const during = callIn(underWay, 'i')
  end()
  await stop
  const after = callIn(underWay, 'i')
  for (const { fail } of [during, after]) fail(new Failure('engine_unavailable'))
  assert.deepEqual(
    [await during.result, await after.result],
    ['engine_unavailable outcome_unknown', 'engine_unavailable undefined'],
  )
})

test('a call that begins in the same turn as the stop of its instance is cut, too', async () => {
  const underWay = createUnderWay()
  const stop = underWay.stop('i', 1, async () => {})
  const call = callIn(underWay, 'i')
  await stop
  call.fail(new Failure('engine_unavailable'))
  assert.equal(await call.result, 'engine_unavailable outcome_unknown')
})
