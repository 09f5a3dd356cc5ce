/**
 * Kills a process at ten random moments while it delivers events. Every committed event must arrive, and a repeated
 * event must have the same id.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MAX_UNWRITTEN } from '../../../workers/shard/durable-line/outcomes.ts'
import { program } from '../../harness/checkout.ts'
import { tempDir } from '../../unit/storage/fixtures.ts'
import { receiver } from '../../unit/webhooks/receiver.ts'

const CHILD = program('../outbox-child', import.meta.url)
const EVENTS = 5_000
const KILLS = 10
/**
 * Maximum number of deliveries after which the test kills a run of the process. It is an eleventh of all events, so
 * events are left after each of the ten kills.
 */
const LONGEST_LIFE = Math.floor(EVENTS / (KILLS + 1))

test('ten kills lose none of 5,000 events', { timeout: 400_000 }, async (t) => {
  const to = await receiver(t)
  const dir = await tempDir(t)
  const promised = new Map<string, number>()
  let next = 0

  /**
   * Runs the process until it ends, or kills it after `killAfter` deliveries. Resolves with whether the process ended
   * by itself.
   */
  async function live(killAfter: number | undefined): Promise<boolean> {
    const child = spawn(process.execPath, [...CHILD, dir, to.url, String(next), String(EVENTS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const before = to.received.length
    if (killAfter !== undefined) {
      while (to.received.length - before < killAfter && child.exitCode === null) await pause(1)
      child.kill('SIGKILL')
    }
    const code = await ended
    for (const line of text.split('\n').slice(0, -1)) {
      const [number, eventId] = line.split(' ')
      promised.set(eventId!, Number(number))
      next = Math.max(next, Number(number) + 1)
    }
    return code === 0
  }

  let kills = 0
  while (kills < KILLS) {
    const isDone = await live(1 + Math.random() * (LONGEST_LIFE - 1))
    if (isDone) break
    kills++
  }
  assert.equal(kills, KILLS, 'it was alive at each kill')
  assert.ok(await live(undefined), 'the last life ends by itself')

  const bodies = new Map<string, string>()
  let repeats = 0
  for (const { json, body } of to.received) {
    const id = json.event_id as string
    const known = bodies.get(id)
    if (known !== undefined) {
      repeats++
      assert.equal(body.toString(), known, 'a repeat has the same bytes')
    }
    bodies.set(id, body.toString())
  }
  const lost = [...promised.keys()].filter((id) => !bodies.has(id))
  const numbers = new Set([...promised.values()])
  t.diagnostic(`events ${numbers.size}, posts ${to.received.length}, repeats ${repeats}, lost ${lost.length}, kills ${kills}`)
  assert.deepEqual(lost, [])
  assert.equal(numbers.size, EVENTS)
  assert.ok(repeats <= KILLS * (MAX_UNWRITTEN + 1), 'at most a batch whose outcome was not written, and the attempt in flight')
  const order = [...bodies.keys()]
  assert.deepEqual(order, order.toSorted(), 'first deliveries come in order')
})
