/** The library's retry manager as our sockets have it: there, and bounded. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEFAULT_CONNECTION_CONFIG, initAuthCreds, makeWASocket, type WASocket } from '@whiskeysockets/baileys'
import pino from 'pino'
import '../../../workers/shard/baileys/first.ts'
import { adoptSocket, endSocket } from '../../../workers/shard/baileys/end.ts'
import { bounded, boundRetryManager } from '../../../workers/shard/baileys/retry-manager.ts'
import { socketOptions } from '../../../workers/shard/connection/socket.ts'
import { listen, type Server } from './loopback.ts'

let server: Server
let sock: WASocket
before(async () => {
  server = await listen()
  const logger = pino({ level: 'silent' })
  sock = makeWASocket(
    socketOptions({
      auth: { creds: initAuthCreds(), keys: { get: async () => ({}), set: async () => {} } },
      logger,
      makeSignalRepository: DEFAULT_CONNECTION_CONFIG.makeSignalRepository,
      getMessage: async () => undefined,
      groupMetadata: async () => undefined,
      network: { url: server.url } as Parameters<typeof socketOptions>[0]['network'],
      outside: {} as Parameters<typeof socketOptions>[0]['outside'],
      version: [2, 3_000, 1],
    }),
  )
  adoptSocket(sock)
  boundRetryManager(sock)
})
after(async () => {
  await endSocket(sock, undefined, 'abrupt')
  await server.close()
})

// It was off together with the cache: no session was recreated, no collision seen, and each unreadable message held the line for 2 s.
test('a session that keeps failing is recreated, once an hour, and one that is the old one again is recognised', () => {
  const manager = sock.messageRetryManager!
  assert.equal(manager.shouldRecreateSession('1@lid', true).recreate, true)
  assert.equal(manager.shouldRecreateSession('1@lid', true).recreate, false)
  manager.saveBaseKey('1_1.0', 'A', Buffer.of(1, 2))
  assert.equal(manager.hasSameBaseKey('1_1.0', 'A', Buffer.of(1, 2)), true)
  assert.equal(manager.hasSameBaseKey('1_1.0', 'A', Buffer.of(1, 3)), false)
})

test('retries are counted up to the limit, and what is counted stays bounded', () => {
  const manager = sock.messageRetryManager!
  for (let retry = 1; retry <= 5; retry++) assert.equal(manager.incrementRetryCount('A'), retry)
  assert.equal(manager.hasExceededMaxRetries('A'), true)
  for (let n = 0; n < 5_000; n++) {
    manager.incrementRetryCount(`m${n}`)
    manager.shouldRecreateSession(`${n}@lid`, true)
    manager.saveBaseKey(`${n}_1.0`, 'A', Buffer.of(1))
    manager.addRecentMessage('1@lid', `m${n}`, { conversation: 'kept elsewhere' })
  }
  const sizes = manager as unknown as Record<string, { size: number }>
  assert.deepEqual(
    ['retryCounters', 'sessionRecreateHistory', 'baseKeys', 'recentMessagesMap'].map((name) => sizes[name]!.size),
    [1_000, 1_000, 1_000, 0],
  )
  assert.equal(manager.getRecentMessage('1@lid', 'm1'), undefined)
})

test('what is too old counts no more', () => {
  let now = 0
  const entries = bounded<number>(2, 10, () => now)
  entries.set('a', 1)
  now = 9
  assert.equal(entries.get('a'), 1)
  now = 10
  assert.equal(entries.get('a'), undefined)
})
