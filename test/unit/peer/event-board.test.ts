/**
 * Tests readers of events that do not read for a while, the states of instances of other services, lines of another
 * release, and the limit of tasks at the same time.
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { CREATED } from '../../../src/domain/instance.ts'
import type { EngineEvent } from '../../../src/engine/engine.ts'
import { createEventBoard } from '../../../src/peer/engine/event-board.ts'
import { type EventLine, lineIn } from '../../../src/peer/engine/event-line.ts'
import { resultOf } from '../../../src/peer/engine/peer-command.ts'
import { createPeerStates } from '../../../src/peer/engine/peer-states.ts'
import { createPlaces } from '../../../src/peer/engine/places.ts'

/** Simulates the answer to a reader. While `isOpen` is false, `write` reports that the reader takes nothing. */
function answer() {
  const lines: EventLine[] = []
  const outgoing = Object.assign(new EventEmitter(), {
    isOpen: true,
    isDestroyed: false,
    write(text: string) {
      assert.doesNotMatch(text, /[\u2028\u2029]/)
      lines.push(lineIn(text)!)
      return outgoing.isOpen
    },
    end() {},
    destroy() {
      outgoing.isDestroyed = true
      outgoing.emit('close')
    },
  })
  return { outgoing, lines, response: outgoing as unknown as ServerResponse }
}
const outcome = (svcId: string) => ({ type: 'outcome', svcId, outcome: { status: 'sent' } }) as const

test('while a reader takes nothing, only the latest states wait for it, and no outcome is lost', async () => {
  const board = createEventBoard()
  const { outgoing, lines, response } = answer()
  outgoing.isOpen = false
  board.stream(response, undefined)
  for (const status of ['connecting', 'connected', 'disconnected'] as const)
    board.take({ type: 'state', instance: 'i', state: { ...CREATED, status, profileName: 'a\u2028b\u2029' } })
  board.take({ type: 'events', instance: 'i' })
  board.take({ type: 'events', instance: 'i' })
  for (const svcId of ['one', 'two']) board.take(outcome(svcId))
  await turn()
  assert.equal(lines.length, 1)
  outgoing.isOpen = true
  outgoing.emit('drain')
  const { states, events, outcomes, last } = lines[1]!
  assert.equal(states![0]![1].profileName, 'a\u2028b\u2029')
  assert.deepEqual([states!.map(([, { status }]) => status), events, outcomes!.length, last], [['disconnected'], ['i'], 2, 2])
  board.close()
})

test('a reader that connects again gets the outcomes that it has missed, and one that takes nothing is disconnected', async () => {
  const board = createEventBoard()
  for (let index = 1; index <= 3_000; index++) board.take(outcome(String(index)))
  const { lines, response } = answer()
  board.stream(response, 2_998)
  assert.deepEqual(
    lines[0]!.outcomes!.map(([svcId]) => svcId),
    ['2999', '3000'],
  )
  const slow = answer()
  slow.outgoing.isOpen = false
  board.stream(slow.response, 3_000)
  for (let index = 3_001; index <= 8_000; index++) board.take(outcome(String(index)))
  assert.equal(slow.outgoing.isDestroyed, true)
  const again = answer()
  board.stream(again.response, 3_000)
  assert.equal(again.lines[0]!.outcomes!.length, 5_000)
  await turn()
  board.close()
})

test('a loss changes no instance without a session, and none that this service has taken over', () => {
  const mine = new Set<string>()
  const { take, lose, remove } = createPeerStates({
    now: () => 5,
    homeOf: (instance) => (mine.has(instance) ? 'here' : undefined),
  })
  const states = (['connected', 'stopped', 'banned'] as const).map(
    (status) => [status, { ...CREATED, status }] as [string, typeof CREATED],
  )
  assert.equal(take('a', { isFirst: true, states: [...states, ['taken', { ...CREATED, status: 'connected' }]] }).length, 4 + 8)
  mine.add('taken')
  assert.deepEqual(take('a', { states: [['taken', { ...CREATED, status: 'qr' }]], events: ['taken'] }), [])
  assert.deepEqual(lose('a'), [
    {
      type: 'state',
      instance: 'connected',
      state: { ...CREATED, status: 'disconnected', reason: 'engine_restart', disconnectedAt: 5 },
    },
  ])
  assert.deepEqual(lose('a'), [])
  // Another service has this instance now. So the first service cannot report that the instance is gone.
  take('b', { states: [['connected', { ...CREATED, status: 'connected' }]] })
  assert.deepEqual(take('a', { isFirst: true, states: [] }), [])
  assert.equal(remove('b').length, 1)
  assert.deepEqual(remove('b'), [])
})

test('while an instance moves, the state that counts is that of its home', () => {
  let home = 'a'
  const { take, stateOf } = createPeerStates({ now: () => 5, homeOf: () => home })
  const line = (status: 'connected' | 'connecting' | 'qr') => ({
    states: [['i', { ...CREATED, status }] as [string, typeof CREATED]],
  })
  const statusesIn = (events: EngineEvent[]) => events.flatMap((event) => (event.type === 'state' ? [event.state.status] : []))
  assert.deepEqual(statusesIn(take('a', line('qr'))), ['qr'])
  // A change is reported even if the new state is the same as before.
  assert.deepEqual(statusesIn(take('a', line('qr'))), ['qr'])
  assert.deepEqual(statusesIn(take('a', { isFirst: true, ...line('qr') })), [])
  // This service does not know yet that service b has the instance now.
  assert.deepEqual(statusesIn(take('b', line('connected'))), [])
  home = 'b'
  assert.deepEqual(statusesIn(take('a', {})), ['connected'])
  assert.deepEqual(statusesIn(take('a', line('connecting'))), [])
  assert.deepEqual(statusesIn(take('a', { gone: ['i'] })), [])
  assert.equal(stateOf('i')?.status, 'connected')
  home = 'here'
  assert.deepEqual(take('b', { gone: ['i'] }), [])
  assert.equal(stateOf('i'), undefined)
})

test('of a line of another release, what this one does not understand is dropped; other lines and results are refused', () => {
  const state = { ...CREATED, status: 'dancing' }
  for (const line of ['null', '{"states":5}', '{"outcomes":1}', '{"states":[["i",null]]}', '{"events":["i"'])
    assert.equal(lineIn(line), undefined, line)
  assert.deepEqual(lineIn('{}'), {})
  const outcomes = [1, ['x', { status: 'lost' }], ['y', { status: 'sent' }]]
  assert.deepEqual(lineIn(JSON.stringify({ states: [['i', state]], outcomes })), {
    states: [['i', { ...state, status: 'disconnected' }]],
    outcomes: [['y', { status: 'sent' }]],
  })
  for (const result of [null, 5, {}, { is: 'failed' }, { is: 'failed', failure: { code: 7 } }])
    assert.throws(() => resultOf(result), JSON.stringify(result))
  const failure = { code: 'of_a_newer_release', message: 'It failed.' }
  assert.deepEqual(resultOf({ is: 'failed', failure }), { is: 'failed', failure: { ...failure, code: 'internal' } })
  assert.deepEqual(resultOf({ is: 'done' }), { is: 'done' })
})

const ANY = { mostOfKey: 100, mostWaitingOfKey: 100 }

test('tasks of one key have only a part of the places, and take turns with those of others', async () => {
  const places = createPlaces({ first: 4, most: 4, growEveryMs: 1_000, mostWaiting: 10, mostOfKey: 3, mostWaitingOfKey: 4 })
  const entered: string[] = []
  const ends: (() => void)[] = []
  const enter = async (key: string) => {
    const giveBack = await places.take(key, 2_000)
    if (giveBack === undefined) return
    entered.push(key)
    ends.push(giveBack)
  }
  const busy = Array.from({ length: 6 }, () => enter('busy'))
  const others = [enter('b'), enter('c'), enter('b')]
  await turn()
  assert.deepEqual(entered, ['busy', 'busy', 'busy', 'b'])
  while (ends.length > 0) {
    ends.shift()!()
    await turn()
  }
  await Promise.all([...busy, ...others])
  assert.deepEqual(entered.slice(4, 7), ['busy', 'c', 'b'])
  assert.equal(entered.length, 9)
  const held = await Promise.all([1, 2, 3].map(() => places.take('busy', 1)))
  const lateOnes = [1, 2, 3, 4].map(() => places.take('busy', 10))
  assert.equal(await places.take('busy', 60_000), undefined)
  assert.deepEqual(await Promise.all(lateOnes), [undefined, undefined, undefined, undefined])
  for (const each of held) each!()
  const free = await Promise.all([1, 2, 3].map(() => places.take('busy', 1)))
  assert.equal(free.includes(undefined), false)
})

test('the limit of tasks grows while the line does not become shorter, although many tasks end', async () => {
  const places = createPlaces({ first: 2, most: 8, growEveryMs: 10, mostWaiting: 8, ...ANY })
  let used = 0
  let isOver = false
  const most = new Promise<void>((resolve) => {
    const user = async () => {
      while (!isOver) {
        const giveBack = (await places.take('i', 1_000))!
        if (++used === 8) resolve()
        await turn()
        used--
        giveBack()
      }
    }
    for (let index = 0; index < 10; index++) void user()
  })
  await most
  isOver = true
})

test('the limit of tasks grows only while some wait, in order, and for no longer than their time', async () => {
  const places = createPlaces({ first: 2, most: 4, growEveryMs: 20, mostWaiting: 3, ...ANY })
  const taken: number[] = []
  const tasks = [0, 1, 2, 3, 4].map(async (index) => {
    const giveBack = await places.take('i', 100)
    if (giveBack !== undefined) taken.push(index)
    return giveBack
  })
  assert.equal(await places.take('i', 100), undefined)
  await pause(60)
  assert.deepEqual(taken, [0, 1, 2, 3])
  const ends = await Promise.all(tasks)
  assert.equal(ends[4], undefined)
  for (const end of ends) end?.()
  for (const index of [0, 1]) assert.ok(await places.take('i', 0), String(index))
  assert.equal(await places.take('i', 1), undefined)
})
