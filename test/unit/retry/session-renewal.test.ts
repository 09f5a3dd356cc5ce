import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, extractE2ESessionFromRetryReceipt } from '@whiskeysockets/baileys'
import { requestOf } from '../../../workers/shard/retry/retry-receipts.ts'
import { createSessionRenewal } from '../../../workers/shard/retry/session-renewal.ts'

const retry = (count: number, more: BinaryNode[]): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: 'A', type: 'retry', from: '5511988880001:3@s.whatsapp.net' },
  content: [{ tag: 'retry', attrs: { count: String(count) } }, ...more],
})

const bytes = (value: number, size: number) => {
  const buffer = Buffer.alloc(size)
  buffer.writeUIntBE(value, 0, size)
  return buffer
}
const part = (tag: string, content: Uint8Array | BinaryNode[]): BinaryNode => ({ tag, attrs: {}, content })
const registration = (id: number) => part('registration', bytes(id, 4))
const KEYS = part('keys', [
  part('type', Buffer.of(5)),
  part('identity', Buffer.alloc(32, 1)),
  part('skey', [part('id', bytes(1, 3)), part('value', Buffer.alloc(32, 2)), part('signature', Buffer.alloc(64, 3))]),
])

interface World {
  mayFetch?: boolean
  broken?: boolean
  baseKey?: number
}

function renewals() {
  const world: World = {}
  let done: string[] = []
  const repository = {
    async injectE2ESession() {
      if (world.broken) throw new Error('not signed')
      done.push('inject')
    },
    getSessionInfo: async () => ({ registrationId: 7, baseKey: Buffer.of(world.baseKey ?? 1) }),
    validateSession: async () => ({ exists: true }),
    deleteSession: async () => void done.push('delete'),
    jidToSignalProtocolAddress: () => 'address',
  } as unknown as Parameters<typeof createSessionRenewal>[0]['repository']
  const renewSession = async () => void done.push('fetch')
  const renew = createSessionRenewal({ repository, renewSession, clock: { now: () => 0 }, log: { warn() {} } })
  return async (count: number, more: BinaryNode[], now: World = {}) => {
    done = []
    Object.assign(world, { mayFetch: true, broken: false, baseKey: 1 }, now)
    await renew(requestOf(retry(count, more))!, () => world.mayFetch!)
    return done
  }
}

test('the keys in the receipt make the session; without them the network is asked for some', async () => {
  const session = extractE2ESessionFromRetryReceipt(retry(1, [registration(7), KEYS]))
  assert.ok(session, 'the keys are as the library reads them')
  const renewed = renewals()
  assert.deepEqual(await renewed(1, [registration(7), KEYS]), ['inject'])
  assert.deepEqual(await renewed(1, [registration(7)]), ['fetch'])
  assert.deepEqual(await renewed(1, [registration(7)], { mayFetch: false }), [])
  assert.deepEqual(await renewed(1, [registration(7), KEYS], { broken: true }), ['fetch'])
})

test('a session with another registration, or the one that failed before, goes', async () => {
  const renewed = renewals()
  assert.deepEqual(await renewed(1, [registration(8)]), ['delete', 'fetch'])
  assert.deepEqual(await renewed(1, [registration(8), KEYS]), ['inject'])
  assert.deepEqual(await renewed(2, [registration(7), KEYS]), ['inject'])
  assert.deepEqual(await renewed(3, [registration(7), KEYS]), ['inject', 'delete'], 'the same base key as the time before')
  assert.deepEqual(await renewed(3, [registration(7), KEYS]), ['inject'])
  assert.deepEqual(await renewed(2, [registration(7), KEYS]), ['inject'])
  assert.deepEqual(await renewed(3, [registration(7), KEYS], { baseKey: 2 }), ['inject'])
})

test('a session that is there is given up from the second time on, once an hour', async () => {
  const renewed = renewals()
  assert.deepEqual(await renewed(2, [registration(7)]), ['delete', 'fetch'])
  assert.deepEqual(await renewed(2, [registration(7)]), ['fetch'])
})
