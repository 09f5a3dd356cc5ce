import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../../../src/domain/clock.ts'
import { watchLiveness } from '../../../../workers/shard/connection/socket/liveness.ts'
import type { NetworkSocket } from '../../../../workers/shard/network/network-socket.ts'

/**
 * Starts the check. An event emitter takes the place of the socket, because the check only uses the socket's events.
 */
function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.parse('2026-01-31T12:00:00.000Z') })
  const ev = new EventEmitter()
  const kinds: string[] = []
  const silences: number[] = []
  const stalled: string[] = []
  const liveness = watchLiveness({ ev } as unknown as Pick<NetworkSocket, 'ev'>, {
    now: Date.now,
    onStanza: (kind) => kinds.push(kind),
    onSilent: (silentMs) => silences.push(Math.floor(silentMs / HOUR)),
    onStalled: (kind) => stalled.push(kind),
  })
  t.after(() => ev.emit('connection.update', { connection: 'close' }))
  return { ev, liveness, kinds, silences, stalled, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('stanzas are counted by their kind from the login on, and those that are through', (t) => {
  const { ev, liveness, kinds, pass } = start(t)
  liveness.came('notification')()
  assert.equal(liveness.lastInboundAt(), null)
  ev.emit('connection.update', { connection: 'open' })
  const loggedInAt = Date.now()
  assert.equal(liveness.lastInboundAt(), loggedInAt, 'the login is the first that is heard')
  pass(MINUTE)
  for (const kind of ['message', 'receipt', 'notification', 'call'] as const) liveness.came(kind)()
  liveness.came('receipt')
  assert.deepEqual(kinds, ['message', 'receipt', 'notification', 'call', 'receipt'])
  assert.equal(liveness.lastInboundAt(), loggedInAt + MINUTE)
  assert.deepEqual(liveness.traffic().receipt, { stanzas: 2, handled: 1 })
})

test('a silence is reported after an hour, six, a day and three, once each, and anew after it was broken', (t) => {
  const { ev, liveness, silences, stalled, pass } = start(t)
  ev.emit('connection.update', { connection: 'open' })
  for (let minute = 0; minute < 5 * 24 * 60; minute++) pass(MINUTE)
  assert.deepEqual(silences, [1, 6, 24, 72])
  liveness.came('receipt')()
  for (let minute = 1; minute < 60; minute++) pass(MINUTE)
  assert.equal(silences.length, 4)
  assert.deepEqual(stalled, [])
})

test('a kind of stanza is stalled when none of it gets through; slow handling and silence are not a stall', (t) => {
  const { ev, liveness, stalled, pass } = start(t)
  ev.emit('connection.update', { connection: 'open' })
  pass(DAY)
  const through = Array.from({ length: 5 }, () => liveness.came('message'))
  for (const done of through) {
    pass(2 * MINUTE)
    done()
  }
  pass(DAY)
  assert.deepEqual(stalled, [])
  liveness.came('call')
  pass(2 * MINUTE)
  assert.deepEqual(stalled, [])
  pass(2 * MINUTE)
  assert.equal(stalled[0], 'call')
})
