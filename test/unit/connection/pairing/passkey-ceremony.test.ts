import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type BinaryNode, Curve, initAuthCreds, proto } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import type { Assertion, PasskeyError } from '../../../../src/domain/passkey.ts'
import { createPasskeyCeremony } from '../../../../workers/shard/connection/pairing/passkey-ceremony.ts'
import { createPasskeyPairing } from '../../../../workers/shard/connection/pairing/passkey-pairing.ts'

const CHALLENGE = Buffer.alloc(32, 1).toString('base64url')
const OPTIONS = JSON.stringify({ challenge: CHALLENGE, rpId: 'whatsapp.com' })

const ASSERTION: Assertion = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: {
    clientDataJSON: Buffer.from(
      JSON.stringify({ type: 'webauthn.get', challenge: CHALLENGE, origin: 'https://web.whatsapp.com' }),
    ).toString('base64url'),
    authenticatorData: Buffer.concat([
      createHash('sha256').update('whatsapp.com').digest(),
      Buffer.from([5, 0, 0, 0, 0]),
    ]).toString('base64url'),
    signature: Buffer.alloc(70, 2).toString('base64url'),
  },
}

const request = (): BinaryNode => ({
  tag: 'notification',
  attrs: { from: 's.whatsapp.net', id: '1', t: '1', type: 'passkey_prologue_request' },
  content: [{ tag: 'passkey_request_options', attrs: {}, content: Buffer.from(OPTIONS) }],
})

const continuation = (): BinaryNode => ({
  tag: 'notification',
  attrs: { from: 's.whatsapp.net', id: '2', t: '1', type: 'crsc_continuation' },
  content: [
    {
      tag: 'primary_ephemeral_identity',
      attrs: {},
      content: proto.PrimaryEphemeralIdentity.encode({
        publicKey: Curve.generateKeyPair().public,
        nonce: Buffer.alloc(32, 3),
      }).finish(),
    },
  ],
})

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await undefined
}

function begin() {
  const creds = initAuthCreds()
  const secretInCode = creds.advSecretKey
  const left: string[] = []
  const told: string[] = []
  let disk = Promise.resolve()
  let flush = () => {}
  const ceremony = createPasskeyCeremony({
    sock: {
      authState: { creds } as never,
      ev: { emit: () => true } as never,
      async query(node: BinaryNode) {
        const [child] = node.content as BinaryNode[]
        left.push(child!.tag)
        return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'ref', attrs: {}, content: Buffer.from('2@ref') }] }
      },
    } as never,
    settled: () => disk,
    events: {
      passkeyAsked: () => void told.push('asked'),
      passkeyAccepted: () => void told.push('accepted'),
      passkeyTryAgain: () => void told.push('again'),
      passkeyEnded: () => void told.push('ended'),
    },
    clock: { now: () => Date.now() },
    steady: { now: () => performance.now() },
    log: pino({ level: 'silent' }),
    onEnd: (error: PasskeyError | null) => void told.push(`over ${error}`),
    onError: () => {},
  })
  return {
    ceremony,
    creds,
    secretInCode,
    left,
    told,
    holdDisk() {
      disk = new Promise((resolve) => {
        flush = resolve
      })
    },
    flush: () => flush(),
  }
}

async function handedIn(begun: ReturnType<typeof begin>) {
  await begun.ceremony.asked(request())
  await begun.ceremony.respond(ASSERTION)
  begun.holdDisk()
  begun.ceremony.continued(continuation())
  await turns()
}

test('the request is confirmed, and told, only when the new secret is on disk', async () => {
  const { ceremony, creds, secretInCode, told, holdDisk, flush } = begin()
  holdDisk()
  let isConfirmed = false
  const confirmed = ceremony.asked(request()).then(() => {
    isConfirmed = true
  })
  await turns()
  assert.notEqual(creds.advSecretKey, secretInCode)
  assert.deepEqual([isConfirmed, told], [false, []])
  flush()
  await confirmed
  assert.deepEqual(told, ['asked'])
  ceremony.end(null)
})

test('the sealed request leaves only when the secret in it is on disk', async () => {
  const begun = begin()
  await handedIn(begun)
  const { ceremony, left, flush } = begun
  assert.deepEqual([ceremony.state().stage, left], ['linking', ['ref', 'passkey_prologue', 'companion_nonce']])
  flush()
  await turns()
  assert.deepEqual(left.slice(3), ['encrypted_pairing_request'])
  ceremony.end(null)
})

test('a ceremony that ends while the disk is waited for seals nothing: its keys are gone', async () => {
  const begun = begin()
  await handedIn(begun)
  const { ceremony, left, told, flush } = begun
  ceremony.end('connection_lost')
  flush()
  await turns()
  assert.deepEqual(left, ['ref', 'passkey_prologue', 'companion_nonce'])
  assert.deepEqual(told, ['asked', 'accepted', 'over connection_lost'])
})

test('a request to a device that is linked already begins nothing, and its secret stays', async () => {
  const clock = { now: () => Date.now() }
  const pairing = createPasskeyPairing({ clock, steady: clock, log: pino({ level: 'silent' }) })
  const creds = { ...initAuthCreds(), account: {} }
  const { advSecretKey } = creds
  const unexpected = () => assert.fail('nothing may happen')
  const socket = pairing.attach({
    sock: { authState: { creds }, ev: { emit: unexpected }, query: unexpected } as never,
    settled: () => Promise.resolve(),
    onBegin: unexpected,
    events: {
      passkeyAsked: unexpected,
      passkeyAccepted: unexpected,
      passkeyTryAgain: unexpected,
      passkeyEnded: unexpected,
    },
  })
  await socket.asked(request())
  assert.deepEqual([pairing.state().stage, socket.isUnderWay, creds.advSecretKey], ['none', false, advSecretKey])
})
