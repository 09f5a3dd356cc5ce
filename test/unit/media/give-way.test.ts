/**
 * Tests that background threads have a low priority, but still get enough CPU time. If they got only a ninth of the
 * time of other processes, a body of 60 MB would take 44 s on a busy core.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const MODULE = new URL('../../../workers/media/give-way.js', import.meta.url)
/**
 * Nice value with which a thread gets a third of the CPU time of a thread with normal priority. It follows from the
 * kernel's table of weights.
 */
const A_THIRD = 5

const priorities = () => readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))

test('a thread gives way alone, and keeps a third of what others get', { skip: process.platform !== 'linux' }, async () => {
  const before = new Set(priorities())
  const source = `import(${JSON.stringify(MODULE.href)}).then(({ giveWay }) => {
    giveWay()
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', () => process.exit())
    parentPort.postMessage('there')
  })`
  const worker = new Worker(source, { eval: true })
  await once(worker, 'message')
  const own = getPriority()
  const lower = priorities().filter((priority) => !before.has(priority))
  worker.postMessage('end')
  await once(worker, 'exit')
  assert.equal(lower.length, 1, 'one thread has another priority')
  assert.ok(lower[0]! > own && lower[0]! <= own + A_THIRD, `${lower[0]} against ${own}`)
})
