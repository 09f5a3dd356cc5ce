import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkMeter } from '../../../workers/shard/usage/work-meter.ts'

function openMeter() {
  const time = { busyMs: 1_000, cpuMs: 500 as number | undefined }
  const meter = createWorkMeter({ busyMs: () => time.busyMs, cpuMs: () => time.cpuMs })
  /**
   * Simulates work: the event loop is busy for `busyMs`, and the thread really uses the CPU for `cpuMs` of this time.
   */
  function work(busyMs: number, cpuMs = busyMs) {
    time.busyMs += busyMs
    if (time.cpuMs !== undefined) time.cpuMs += cpuMs
  }
  return { meter, time, work }
}

test('work belongs to the instance that it began for, until work for another one begins', () => {
  const { meter, work } = openMeter()
  work(100)
  meter.begin('a')
  work(10)
  meter.begin('b')
  work(30)
  meter.begin('a')
  work(5)
  meter.settle()
  assert.equal(meter.cpuMs('a'), 15)
  assert.equal(meter.cpuMs('b'), 30)
  assert.equal(meter.cpuMs('unknown'), 0)
})

test('the time in which the thread waited for a CPU is not counted', () => {
  const { meter, work } = openMeter()
  meter.begin('a')
  work(60, 30)
  meter.begin('b')
  work(20, 10)
  meter.settle()
  assert.equal(meter.cpuMs('a'), 30)
  assert.equal(meter.cpuMs('b'), 10)
})

test('a platform that does not state the CPU time of a thread has the busy time instead', () => {
  const { meter, time, work } = openMeter()
  time.cpuMs = undefined
  meter.begin('a')
  work(60)
  meter.settle()
  assert.equal(meter.cpuMs('a'), 60)
})

test('settlements add up, and one in which nothing happened changes nothing', () => {
  const { meter, work } = openMeter()
  meter.begin('a')
  work(10)
  meter.settle()
  meter.settle()
  work(7)
  meter.settle()
  assert.equal(meter.cpuMs('a'), 17)
})

test('the time of an instance that is forgotten counts for nobody else', () => {
  const { meter, work } = openMeter()
  meter.begin('a')
  work(10)
  meter.begin('b')
  work(10)
  meter.forget('b')
  work(80)
  meter.settle()
  assert.equal(meter.cpuMs('b'), 0)
  assert.equal(Math.round(meter.cpuMs('a')), 10)
  meter.begin('b')
  work(4)
  meter.settle()
  assert.equal(meter.cpuMs('b'), 4)
})
