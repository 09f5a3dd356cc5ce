/** The session with a device that could not read a message: which one it has when it is answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, extractE2ESessionFromRetryReceipt } from '@whiskeysockets/baileys'
import { requestOf } from '../../../workers/shard/baileys/retry-receipt.ts'
import { renewSession } from '../../../workers/shard/baileys/retry-session.ts'

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

/** What is done to the session, in order; it has registration 7 and this base key. */
async function renewed(
  count: number,
  more: BinaryNode[],
  options: { mayFetch?: boolean; sameKey?: boolean; broken?: boolean } = {},
) {
  const done: string[] = []
  const sock = {
    signalRepository: {
      async injectE2ESession() {
        if (options.broken) throw new Error('not signed')
        done.push('inject')
      },
      getSessionInfo: async () => ({ registrationId: 7, baseKey: Buffer.of(1) }),
      validateSession: async () => ({ exists: true }),
      deleteSession: async () => void done.push('delete'),
      jidToSignalProtocolAddress: () => 'address',
    },
    messageRetryManager: {
      saveBaseKey: () => done.push('save key'),
      hasSameBaseKey: () => options.sameKey ?? false,
      deleteBaseKey: () => done.push('forget key'),
      shouldRecreateSession: () => ({ recreate: false }),
    },
    assertSessions: async (_: string[], force: boolean) => {
      done.push(`fetch ${force}`)
      return true
    },
  } as unknown as Parameters<typeof renewSession>[0]
  await renewSession(sock, requestOf(retry(count, more))!, { mayFetch: () => options.mayFetch ?? true, log: { warn() {} } })
  return done
}

test('the keys in the receipt make the session; without them the network is asked for some', async () => {
  const session = extractE2ESessionFromRetryReceipt(retry(1, [registration(7), KEYS]))
  assert.ok(session, 'the keys are as the library reads them')
  assert.deepEqual(await renewed(1, [registration(7), KEYS]), ['inject'])
  assert.deepEqual(await renewed(1, [registration(7)]), ['fetch true'])
  assert.deepEqual(await renewed(1, [registration(7)], { mayFetch: false }), [])
  assert.deepEqual(await renewed(1, [registration(7), KEYS], { broken: true }), ['fetch true'])
})

test('a session with another registration, or the one that failed before, goes', async () => {
  assert.deepEqual(await renewed(1, [registration(8)]), ['delete', 'fetch true'])
  assert.deepEqual(await renewed(1, [registration(8), KEYS]), ['inject'])
  assert.deepEqual(await renewed(2, [registration(7)]), ['save key', 'fetch true'])
  assert.deepEqual(await renewed(3, [registration(7)]), ['forget key', 'fetch true'])
  assert.deepEqual(await renewed(3, [registration(7)], { sameKey: true }), ['delete', 'forget key', 'fetch true'])
})
