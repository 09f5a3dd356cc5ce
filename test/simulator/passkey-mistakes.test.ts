/**
 * Tests errors of a companion device (the device to link), one in each test. The network or the phone must detect the
 * error.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { joined, protobuf, random } from '../harness/crsc.ts'
import { startSimulator } from '../harness/network.ts'
import { connect, lastQr } from './client.ts'
import { type Attempt, type PasskeyClient, passkeyClient } from './passkey-client.ts'
import { isStage, passkeyStage, refused } from './passkey-stage.ts'

// No trace of the stanzas is written, because the companion device violates the protocol: the check of the traces would
// report this.
const simulator = await startSimulator({ settings: { receipts: 'none' }, trace: undefined })
after(async () => {
  await close()
  await simulator.stop()
})

/** Maximum number of prologues that the network accepts in one linking. */
const PROLOGUES = 5

const { passkeys, ceremonyOf, newPhone, signs, reaches, scanned, attempted, close } = passkeyStage(() => simulator, 491730000001)

test('in the prologue: order, lengths, kind of device, reference', async () => {
  const phone = newPhone()
  const companion = await scanned(phone)
  const replaced = (tag: string, content: Uint8Array) => (parts: BinaryNode[]) =>
    parts.map((part) => (part.tag === tag ? { ...part, content } : part))
  const payload = (identity: Uint8Array, hash: Uint8Array) =>
    protobuf([
      [1, identity],
      [2, protobuf([[1, hash]])],
    ])
  /** Builds the identity of a prologue. `fields` replace its fields, by their number; null omits a field. */
  const identity = ({ pair, ref }: Attempt, fields: Record<number, Uint8Array | string | number | null>) => {
    const all = { 1: pair.publicKey, 2: 1, 3: ref, ...fields }
    return protobuf(Object.entries(all).flatMap(([number, value]) => (value === null ? [] : [[Number(number), value]])))
  }
  const withKey = (key: Uint8Array | null) => (attempt: Attempt) =>
    replaced('prologue_payload', payload(identity(attempt, { 1: key }), random(32)))
  const withCommitment = (hash: Uint8Array) => (attempt: Attempt) => replaced('prologue_payload', payload(attempt.identity, hash))
  const cases: [string, (attempt: Attempt) => (parts: BinaryNode[]) => BinaryNode[]][] = [
    [
      'passkey_prologue: its children are webauthn_assertion',
      () =>
        ([id, assertion, ...rest]) => [assertion!, id!, ...rest],
    ],
    ['passkey_prologue: its children are credential_id, webauthn_assertion', () => (parts) => parts.slice(0, 2)],
    [
      'passkey_prologue: its children are credential_id, webauthn_assertion, prologue_payload, pairing_handoff_proof, pairing_handoff_proof',
      () => (parts) => [...parts, parts[3]!],
    ],
    ['passkey_prologue: its children are ', () => () => []],
    [
      'passkey_prologue: a child without bytes',
      () => (parts) => parts.map((part, at) => (at === 0 ? { ...part, content: [] } : part)),
    ],
    ['pairing_handoff_proof: 31 bytes', () => replaced('pairing_handoff_proof', random(31))],
    ['pairing_handoff_proof: 33 bytes', () => replaced('pairing_handoff_proof', random(33))],
    ['pairing_handoff_proof: 0 bytes', () => replaced('pairing_handoff_proof', random(0))],
    ['prologue_payload: ', () => replaced('prologue_payload', new Uint8Array([0x0a, 0x7f]))],
    ['prologue_payload: ', ({ payload }) => replaced('prologue_payload', joined(payload, new Uint8Array([0x1a])))],
    ['publicKey: 0 bytes', () => replaced('prologue_payload', new Uint8Array())],
    ['publicKey: 0 bytes', withKey(null)],
    ['publicKey: 31 bytes', withKey(random(31))],
    ['publicKey: 33 bytes', withKey(random(33))],
    ['commitment: 31 bytes', withCommitment(random(31))],
    ['commitment: 33 bytes', withCommitment(random(33))],
    ['commitment: 0 bytes', ({ identity }) => replaced('prologue_payload', protobuf([[1, identity]]))],
    [
      'deviceType is null, the device registered as 1',
      (attempt) => replaced('prologue_payload', payload(identity(attempt, { 2: null }), random(32))),
    ],
    ['ref is not one', (attempt) => replaced('prologue_payload', payload(identity(attempt, { 3: null }), random(32)))],
  ]
  for (let first = 0; first < cases.length; first += PROLOGUES) {
    const [phone, companion] = await freshly()
    const signed = signs(phone)((await companion.requested())!)
    for (const [problem, change] of cases.slice(first, first + PROLOGUES)) {
      const attempt = await companion.attempt(await companion.queryRef())
      await assert.rejects(companion.sendPrologue(attempt, signed, { change: change(attempt) }), refused(400), problem)
      const found = ceremonyOf(phone).problems.at(-1)
      assert.ok(found?.startsWith(problem), `${found}, not ${problem}`)
    }
  }
  const signed = signs(phone)((await companion.requested())!)
  const ref = await companion.queryRef()
  for (const wrong of [await companion.attempt(ref, 3), await companion.attempt('2@somewhere else')])
    await assert.rejects(companion.sendPrologue(wrong, signed), refused(400))
  const { problems } = ceremonyOf(phone)
  assert.deepEqual(problems, [
    'deviceType is 3, the device registered as 1',
    'ref is not one that this connection was given, or was used',
  ])
  const attempt = await companion.attempt(ref)
  await companion.sendPrologue(attempt, signed)
  await companion.continued()
  await assert.rejects(companion.sendPrologue(await companion.attempt(ref), signed), refused(400), 'a used reference')
  await assert.rejects(companion.sendPrologue(await companion.attempt(await companion.queryRef()), signed), refused(410))
  await assert.rejects(attempted(phone, companion), refused(429), 'the sixth prologue')
})

async function freshly(): Promise<[string, PasskeyClient]> {
  const phone = newPhone()
  return [phone, await scanned(phone)]
}

test('out of turn: a nonce, a sealed request, a prologue after it', async () => {
  const [phone, companion] = await freshly()
  const early = await companion.attempt(await companion.queryRef())
  await assert.rejects(companion.sendNonce(early), refused(400))
  const { attempt, primary } = await companion.agreed(signs(phone))
  await assert.rejects(companion.sendNonce(attempt), refused(400), 'the nonce twice')
  passkeys().set(phone, { bend: { pair_success: 'old_secret' } })
  await companion.sendRequest(attempt, primary)
  await assert.rejects(companion.sendRequest(attempt, primary), { message: /.*/ })
  assert.equal(ceremonyOf(phone).problems[0], 'a nonce that nothing waits for')
})

test('a nonce and a sealed request of another length or kind', async () => {
  const [phone, companion] = await freshly()
  const signed = signs(phone)((await companion.requested())!)
  const attempt = await companion.attempt(await companion.queryRef())
  await companion.sendPrologue(attempt, signed)
  const primary = await companion.continued()
  for (const length of [0, 31, 33])
    await assert.rejects(companion.sendNonce({ ...attempt, nonce: random(length) }), refused(400), `${length} bytes`)
  await assert.rejects(companion.send('companion_nonce', undefined), refused(400))
  await companion.sendNonce(attempt)
  for (const content of [undefined, []]) await assert.rejects(companion.send('encrypted_pairing_request', content), refused(400))
  await companion.sendRequest(attempt, primary)
  await reaches(phone, isStage('linked'))
  assert.deepEqual(ceremonyOf(phone).problems, [
    'companion_nonce: 0 bytes',
    'companion_nonce: 31 bytes',
    'companion_nonce: 33 bytes',
    'companion_nonce: 0 bytes',
    'encrypted_pairing_request: no bytes',
    'encrypted_pairing_request: no bytes',
  ])
})

test('a socket that no passkey was asked of', async () => {
  const client = connect(simulator)
  const companion = passkeyClient(client)
  await lastQr(client)
  await assert.rejects(companion.queryOptions(), refused(500))
  await assert.rejects(companion.queryRef(), refused(400))
  await client.close()
})

test('a nonce that the commitment was not made of', async () => {
  const [phone, companion] = await freshly()
  const signed = signs(phone)((await companion.requested())!)
  const attempt = await companion.attempt(await companion.queryRef())
  await companion.sendPrologue(attempt, signed)
  await companion.continued()
  await companion.sendNonce({ ...attempt, nonce: random(32) })
  assert.deepEqual(await reaches(phone, isStage('discarded')), ['the nonce is not the one that the commitment was made of'])
})

test('a sealed request that does not open, or has other keys in it', async () => {
  const cases: [Parameters<PasskeyClient['sendRequest']>[2], string][] = [
    [{ deviceType: 3 }, 'the sealed request does not open'],
    [{ noise: random(32) }, 'the sealed Noise key is not the one in the code'],
    [{ identity: random(32) }, 'the sealed identity key is not the one in the code'],
    [{ noise: random(0) }, 'the sealed Noise key is not the one in the code'],
    [{ identity: random(33) }, 'the sealed identity key is not the one in the code'],
    [{ secret: random(0) }, 'the sealed secret has 0 bytes'],
    [{ secret: random(31) }, 'the sealed secret has 31 bytes'],
    [{ secret: random(33) }, 'the sealed secret has 33 bytes'],
    [{ changeIv: (iv) => iv.subarray(1) }, 'the sealed request does not open'],
    [{ changeIv: (iv) => joined(iv, new Uint8Array(1)) }, 'the sealed request does not open'],
    [{ changeSealed: (sealed) => sealed.subarray(0, 16) }, 'the sealed request does not open'],
    [{ changeSealed: (sealed) => sealed.subarray(0, -1) }, 'the sealed request does not open'],
    [{ changeSealed: (sealed) => joined(sealed, new Uint8Array(1)) }, 'the sealed request does not open'],
  ]
  for (const [fields, problem] of cases) {
    const [phone, companion] = await freshly()
    const { attempt, primary } = await companion.agreed(signs(phone))
    await companion.sendRequest(attempt, primary, fields)
    assert.deepEqual(await reaches(phone, isStage('discarded')), [problem])
  }
})

test('the secret of the code once more', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  const old = Buffer.from(client.auth.creds.advSecretKey, 'base64')
  const companion = passkeyClient(client)
  await simulator.control.scan(phone, await lastQr(client))
  const { attempt, primary } = await companion.agreed(signs(phone))
  await companion.sendRequest(attempt, primary, { secret: old })
  assert.deepEqual(await reaches(phone, isStage('discarded')), ['the sealed secret is the one in the code, not a new one'])
  await client.close()
})

test('a proof of another payload makes the phone ask its owner', async () => {
  const phone = newPhone({ answers: 'never' })
  const companion = await scanned(phone)
  const signed = signs(phone)((await companion.requested())!)
  const attempt = await companion.attempt(await companion.queryRef())
  const change = (parts: BinaryNode[]) => parts.map((part, at) => (at === 3 ? { ...part, content: random(32) } : part))
  await companion.sendPrologue(attempt, signed, { change })
  await reaches(phone, ({ asks, proof }) => asks === 'link' && proof === 'bad')
})
