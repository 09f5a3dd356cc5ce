/** What is told of the stanzas that come in, and of their absence. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { WASocket } from '@whiskeysockets/baileys'
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { watchLiveness } from '../../../workers/shard/baileys/liveness.ts'

/** The two emitters of a socket are all that is listened to. */
function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.parse('2026-01-31T12:00:00.000Z') })
  const ws = new EventEmitter()
  const ev = new EventEmitter()
  const kinds: string[] = []
  const silences: number[] = []
  const deaf: string[] = []
  const liveness = watchLiveness({ ws, ev } as unknown as Pick<WASocket, 'ws' | 'ev'>, {
    now: Date.now,
    onStanza: (kind) => kinds.push(kind),
    onSilent: (silentMs) => silences.push(Math.floor(silentMs / HOUR)),
    onDeaf: (lane) => deaf.push(lane),
  })
  t.after(() => ev.emit('connection.update', { connection: 'close' }))
  const hear = (tag: string, attrs: Record<string, string> = {}) => ws.emit('frame', { tag, attrs })
  return { ev, liveness, kinds, silences, deaf, hear, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('stanzas are counted by their kind from the login on; answers to our own queries are none', (t) => {
  const { ev, liveness, kinds, hear, pass } = start(t)
  hear('notification')
  assert.equal(liveness.heardAt(), null)
  ev.emit('connection.update', { connection: 'open' })
  const loggedInAt = Date.now()
  assert.equal(liveness.heardAt(), loggedInAt, 'the login is the first that is heard')
  pass(MINUTE)
  hear('iq')
  assert.equal(liveness.heardAt(), loggedInAt)
  for (const tag of ['message', 'receipt', 'notification', 'call']) hear(tag)
  hear('receipt', { offline: '1' })
  assert.deepEqual(kinds, ['message', 'receipt', 'notification', 'call', 'receipt'])
  assert.equal(liveness.heardAt(), loggedInAt + MINUTE)
})

test('a silence is told after an hour, six, a day and three, once each, and anew after it was broken', (t) => {
  const { ev, silences, deaf, hear, pass } = start(t)
  ev.emit('connection.update', { connection: 'open' })
  for (let minute = 0; minute < 5 * 24 * 60; minute++) pass(MINUTE)
  assert.deepEqual(silences, [1, 6, 24, 72])
  hear('receipt')
  for (let minute = 1; minute < 60; minute++) pass(MINUTE)
  assert.equal(silences.length, 4)
  // It was never answered, which is another matter. (A mocked interval that ends itself is called all the same.)
  assert.ok(deaf.includes('receipt'))
})

test('silence alone replaces no connection', (t) => {
  const { ev, deaf, pass } = start(t)
  ev.emit('connection.update', { connection: 'open' })
  pass(DAY)
  assert.deepEqual(deaf, [])
})
