import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Waiting } from '../../../workers/shard/queue/item.ts'
import { createModes, inFlight, type Mode, type ModeName, type Modes } from '../../../workers/shard/queue/modes.ts'

const item = (svcId: string) => ({ svcId }) as Waiting
const one = item('1')
const done = Promise.resolve()

const MODES: Record<ModeName, Mode> = {
  idle: { name: 'idle' },
  naming: { name: 'naming', svcId: '1' },
  named: { name: 'named', svcId: '1' },
  sending: { name: 'sending', item: one, since: 0, done },
  settling: { name: 'settling', item: one, since: 0, done },
}
const NAMES = Object.keys(MODES) as ModeName[]

/** Shortest sequence of modes that leads to each mode. */
const WAYS: Record<ModeName, readonly ModeName[]> = {
  idle: [],
  naming: ['naming'],
  named: ['naming', 'named'],
  sending: ['sending'],
  settling: ['sending', 'settling'],
}

const ALLOWED: readonly (readonly [ModeName, ModeName, why: string])[] = [
  ['idle', 'naming', 'an item is queued that leaves at once'],
  ['idle', 'sending', 'the head has its moment'],
  ['naming', 'named', 'the commit is done'],
  ['naming', 'idle', 'the commit failed'],
  ['named', 'sending', 'it begins'],
  ['named', 'idle', 'it was removed, or there is no connection any more'],
  ['sending', 'settling', 'the network has decided'],
  ['sending', 'idle', 'it came back, or storage failed'],
  ['settling', 'named', 'the same commit named the next'],
  ['settling', 'idle', 'nothing leaves right behind it'],
]

function modesAt(name: ModeName): Modes {
  const modes = createModes()
  for (const step of WAYS[name]) modes.enter(MODES[step])
  assert.equal(modes.now.name, name)
  return modes
}

for (const from of NAMES) {
  describe(`from ${from}`, () => {
    for (const to of NAMES) {
      const allowed = ALLOWED.find((row) => row[0] === from && row[1] === to)
      test(`${to}: ${allowed ? allowed[2] : 'never'}`, () => {
        const modes = modesAt(from)
        if (allowed) {
          modes.enter(MODES[to])
          assert.equal(modes.now, MODES[to])
        } else {
          assert.throws(() => modes.enter(MODES[to]), new RegExp(`cannot change from mode ${from} to ${to}`))
          assert.equal(modes.now.name, from, 'and it stays what it is')
        }
      })
    }
  })
}

test('only the item that was being named is named', () => {
  const modes = modesAt('naming')
  assert.throws(() => modes.enter({ name: 'named', svcId: '2' }), /not the one that the queue is preparing/)
})

test('only the outcome of the item that is being sent is settled', () => {
  const modes = modesAt('sending')
  assert.throws(() => modes.enter({ name: 'settling', item: item('1'), since: 0, done }), /not the one that the queue is sending/)
})

test('an item is in flight from its beginning until its outcome is stored', () => {
  assert.deepEqual(
    NAMES.map((name) => inFlight(modesAt(name).now)?.item),
    [undefined, undefined, undefined, one, one],
  )
})
