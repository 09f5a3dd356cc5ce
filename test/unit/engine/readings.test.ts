import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstanceReading } from '../../../src/domain/readings.ts'
import { createReadings } from '../../../src/engine/readings.ts'
import { deferred } from '../../../src/lib/deferred.ts'

const reading = (instance: string, waiting: number): InstanceReading => ({
  instance,
  waiting,
  backlog: 0,
  lastInboundAt: null,
  attempts: { delivered: 0, retry: 0, failed: 0, discarded: 0 },
  refusedSince: null,
  work: { since: 0, cpuMs: 0, sent: 0, received: 0, reconnects: 0, lastSentAt: null, lastReceivedAt: null, heldBytes: 0 },
})

/** Measurements of a service. Another service answers only when `answers` is resolved. */
function measured() {
  const answers = deferred<InstanceReading[]>()
  let surveys = 0
  const readings = createReadings({
    survey: async () => [{ instances: [reading('here', ++surveys)], heapBytes: 0, busy: 0 }],
    others: () => answers.promise,
  })
  return { readings, answers, surveys: () => surveys }
}

test('the own instances are measured although another service does not answer', async () => {
  const { readings, answers, surveys } = measured()
  const all = readings.look(1_000)
  await readings.lookHere(1_000)
  assert.deepEqual([readings.of('here')?.waiting, readings.of('elsewhere'), surveys()], [1, undefined, 1])
  answers.resolve([reading('here', 7), reading('elsewhere', 8)])
  await all
  assert.deepEqual([readings.of('here')?.waiting, readings.of('elsewhere')?.waiting], [1, 8])
})

test('a measurement is shared, and repeated only when it is too old', async () => {
  const { readings, answers, surveys } = measured()
  answers.resolve([])
  await Promise.all([readings.look(60_000), readings.look(60_000), readings.lookHere(60_000)])
  await readings.lookHere(60_000)
  assert.equal(surveys(), 1)
  await readings.lookHere(0)
  assert.deepEqual([surveys(), readings.own()[0]?.waiting], [2, 2])
})
