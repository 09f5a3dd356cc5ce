import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { Browsers, initAuthCreds } from '@whiskeysockets/baileys'
import { closedBy } from '../../../workers/shard/connection/disconnect.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'
import { createQrClock, REFS_ENDED } from '../../../workers/shard/network/qr-clock.ts'

const SECOND = 1_000

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 }))
afterEach(() => mock.timers.reset())

/** Advances the clock in steps of a second. So a timer that is set during a step begins at the right time. */
function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) mock.timers.tick(SECOND)
}

const offer = (count: number, name = 'ref') => Array.from({ length: count }, (_, index) => `2@${name}${index}`)

function start() {
  const ev = new EventEmitter()
  const creds = initAuthCreds()
  const seen: [at: number, what: string, until?: number][] = []
  const seconds = () => Date.now() / SECOND
  const refOf = (text: string) => text.split('#')[1]!.split(',')[0]!
  let last = ''
  const clock = createQrClock({ ev, authState: { creds } } as unknown as NetworkSocket, {
    now: Date.now,
    browser: Browsers.macOS('Chrome'),
    onCode(text, expiresAt) {
      last = text
      seen.push([seconds(), refOf(text), expiresAt / SECOND])
    },
    onReplaced(text) {
      last = text
      seen.push([seconds(), `${refOf(text)} replaced`])
    },
    onOver(reason) {
      const { code, message } = closedBy(reason)
      seen.push([seconds(), `${code} ${message}`])
    },
  })
  return { clock, creds, ev, seen, text: () => last }
}

const OVER = `408 ${REFS_ENDED}`

test('the first code is shown for 60 s, each later one for 20 s, and then the socket ends', () => {
  const { clock, seen } = start()
  clock.offered(offer(6))
  pass(1_000)
  assert.deepEqual(seen, [
    [0, '2@ref0', 60],
    [60, '2@ref1', 80],
    [80, '2@ref2', 100],
    [100, '2@ref3', 120],
    [120, '2@ref4', 140],
    [140, '2@ref5', 160],
    [160, OVER],
  ])
})

test('an offer without a reference ends the socket at once', () => {
  const { clock, seen } = start()
  clock.offered([])
  assert.deepEqual(seen, [[0, OVER]])
})

test('a pairing that is under way keeps the socket, and the last code with it', () => {
  const { clock, seen } = start()
  clock.offered(offer(2))
  pass(70)
  clock.keep(45 * SECOND)
  // Several callers may request that the socket is kept for some time. The longest time counts.
  clock.keep(5 * SECOND)
  pass(1_000)
  assert.deepEqual(seen.slice(1), [
    [60, '2@ref1', 80],
    [80, '2@ref1', 100],
    [100, '2@ref1', 120],
    [120, OVER],
  ])
})

test('after a stop nothing is shown any more, and nothing ends', () => {
  const { clock, seen } = start()
  clock.offered(offer(6))
  clock.stop()
  clock.secretChanged()
  pass(1_000)
  assert.deepEqual(seen, [[0, '2@ref0', 60]])
})

for (const update of [{ connection: 'close' }, { isNewLogin: true }]) {
  test(`${JSON.stringify(update)} stops it`, () => {
    const { clock, ev, seen } = start()
    clock.offered(offer(6))
    ev.emit('connection.update', update)
    pass(1_000)
    assert.equal(seen.length, 1)
  })
}

test('a second offer replaces the first', () => {
  const { clock, seen } = start()
  clock.offered(offer(6))
  pass(10)
  clock.offered(offer(1, 'other'))
  pass(1_000)
  assert.deepEqual(seen, [
    [0, '2@ref0', 60],
    [10, '2@other0', 70],
    [70, OVER],
  ])
})

test('a code has the keys of the credentials, and the secret that they have at its time', () => {
  const { clock, creds, seen, text } = start()
  const fields = () => text().split('#')[1]!.split(',')
  const key = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  clock.offered(offer(2))
  assert.ok(text().startsWith('https://wa.me/settings/linked_devices#'))
  const keys = [key(creds.noiseKey.public), key(creds.signedIdentityKey.public)]
  assert.deepEqual(fields(), ['2@ref0', ...keys, creds.advSecretKey, '1'])
  creds.advSecretKey = 'second'
  clock.secretChanged()
  assert.deepEqual(fields(), ['2@ref0', ...keys, 'second', '1'])
  pass(60)
  assert.deepEqual(fields(), ['2@ref1', ...keys, 'second', '1'])
  assert.deepEqual(
    seen.map(([, what]) => what),
    ['2@ref0', '2@ref0 replaced', '2@ref1'],
  )
})
