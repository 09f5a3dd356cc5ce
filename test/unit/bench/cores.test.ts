import assert from 'node:assert/strict'
import { cpus } from 'node:os'
import { test } from 'node:test'
import { watchCores } from '../../../bench/parts/cores.ts'

const skip = process.platform !== 'linux' && 'the benches read /proc'

test('the cores of the processes, of all others, and the idle ones are all cores of the machine', { skip }, () => {
  const cores = watchCores({ own: process.pid, none: () => 0 })
  const began = performance.now()
  // The kernel counts in steps of 10 ms, so the work takes many steps.
  while (performance.now() - began < 300);
  const { own, none, others, idle } = cores() as Record<'own' | 'none' | 'others' | 'idle', number>
  assert.ok(own > 0, `this process used ${own} cores`)
  assert.equal(none, 0)
  const sum = own + others + idle
  assert.ok(Math.abs(sum - cpus().length) < 0.3, `${own} + ${others} + ${idle} of ${cpus().length} cores`)
})
