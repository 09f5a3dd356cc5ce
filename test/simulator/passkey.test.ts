/**
 * Tests linking with a passkey in the simulator. The client of these tests shares no code with the gateway or the
 * simulator.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { CeremonyView, RelayInput, SignInput } from '../../packages/sandbox/src/testing.ts'
import { startSimulator } from '../harness/network.ts'
import { createAuthenticator, type Options, type PasskeyPublic, type Signed } from '../harness/passkey-authenticator.ts'
import { type PhoneOptions, playPhone } from '../harness/passkey-phone.ts'
import { connect, lastQr } from './client.ts'
import { type PasskeyClient, passkeyClient } from './passkey-client.ts'
import { isStage, passkeyStage, refused } from './passkey-stage.ts'

const simulator = await startSimulator({ settings: { receipts: 'none' } })
after(async () => {
  await close()
  await simulator.stop()
})

const { passkeys, ceremonyOf, newPhone, signs, reaches, scanned, works, close } = passkeyStage(() => simulator, 491710000001)

describe('a good ceremony', () => {
  test('by QR code, with a proof: the phone goes on by itself, and the device sends and receives', async () => {
    const authenticator = await createAuthenticator()
    const { sign, ...publicHalf } = authenticator
    const phone = newPhone(publicHalf)
    const companion = await scanned(phone)
    const code = await companion.link((options) => sign(options))
    await reaches(phone, isStage('linked'))
    const { proof, code: shown, problems, device, acks } = ceremonyOf(phone)
    assert.deepEqual({ proof, shown, problems, device }, { proof: 'good', shown: code, problems: [], device: 1 })
    assert.deepEqual(acks, [
      { type: 'passkey_prologue_request', error: null },
      { type: 'crsc_continuation', error: null },
    ])
    await works(phone, companion)
  })

  test('by typed code', async () => {
    const phone = newPhone()
    const client = connect(simulator)
    const companion = passkeyClient(client)
    await lastQr(client)
    const typed = await client.socket.requestPairingCode(phone)
    assert.deepEqual(await simulator.control.enterCode(phone, typed), { device: null, passkey: true })
    const code = await companion.link(signs(phone))
    await reaches(phone, isStage('linked'))
    assert.deepEqual([ceremonyOf(phone).proof, ceremonyOf(phone).code], ['good', code])
    await works(phone, companion)
  })
})

describe('without a proof that holds, the owner is asked about the link and the code', () => {
  const atCode = ({ asks }: CeremonyView) => asks === 'code'

  test('the owner says yes twice: the sealed request comes before the second', async () => {
    const phone = newPhone({ app: 'back', answers: 'never' })
    const companion = await scanned(phone)
    const linking = companion.link(signs(phone))
    await reaches(phone, ({ asks }) => asks === 'link')
    assert.equal(companion.continuations.length, 0)
    passkeys().accept(phone, { yes: true })
    const code = await linking
    await reaches(phone, atCode)
    assert.deepEqual([ceremonyOf(phone).stage, ceremonyOf(phone).proof], ['confirming', 'good'])
    passkeys().accept(phone, { yes: true, code })
    await reaches(phone, isStage('linked'))
    await works(phone, companion)
  })

  test('the owner says yes before the sealed request', async () => {
    const phone = newPhone()
    const companion = await scanned(phone)
    const { attempt, primary } = await companion.agreed(signs(phone), { withProof: false })
    await reaches(phone, ({ asks, code }) => asks === null && code !== null)
    assert.deepEqual([ceremonyOf(phone).stage, ceremonyOf(phone).proof], ['confirming', 'none'])
    await companion.sendRequest(attempt, primary)
    await reaches(phone, isStage('linked'))
  })

  test('the owner does not want to link: no continuation comes', async () => {
    const phone = newPhone({ app: 'back', answers: 'no' })
    const companion = await scanned(phone)
    const attempt = await companion.attempt(await companion.queryRef())
    await companion.sendPrologue(attempt, signs(phone)((await companion.requested())!))
    assert.deepEqual(await reaches(phone, isStage('discarded')), ['the owner did not want to link'])
    assert.equal(companion.continuations.length, 0)
  })

  for (const [name, input] of [
    ['the owner says that the codes differ', { yes: false }],
    ['the owner types another code', { yes: true, code: 'AAAA-AAAA' }],
  ] as const) {
    test(`${name}: the phone links nothing`, async () => {
      const phone = newPhone({ answers: 'never' })
      const companion = await scanned(phone)
      const linking = companion.link(signs(phone), { withProof: false })
      await reaches(phone, ({ asks }) => asks === 'link')
      passkeys().accept(phone, { yes: true })
      await linking
      await reaches(phone, atCode)
      passkeys().accept(phone, input)
      assert.deepEqual(await reaches(phone, isStage('discarded')), ['the owner said that the codes differ'])
    })
  }
})

describe('a phone that a program plays', () => {
  const yes = { wantsToLink: () => true, codeIsEqual: () => true }
  const played = (phone: string, passkey: PasskeyPublic, more: Partial<PhoneOptions> = {}) => {
    passkeys().set(phone, { ...passkey, played_by: 'program' })
    const relay = {
      read: (after: number, waitMs: number) => passkeys().relayed(phone, after, waitMs),
      send: (input: RelayInput) => passkeys().relay(phone, input),
    }
    return () => playPhone(relay, { passkey, owner: yes, ...more })
  }

  test('it gets what the network has for the phone, and the device is linked with the secret it hands over', async () => {
    const { sign, ...passkey } = await createAuthenticator()
    const phone = newPhone()
    const play = played(phone, passkey)
    const companion = await scanned(phone)
    const program = play()
    const code = await companion.link((options) => sign(options))
    await program.done
    assert.deepEqual([program.code, program.hasProof], [code, true])
    await reaches(phone, isStage('linked'))
    await works(phone, companion)
  })

  test('it may stay silent, and is told nothing before a device was scanned', async () => {
    const { sign, ...passkey } = await createAuthenticator()
    const phone = newPhone()
    const play = played(phone, passkey, { owner: { ...yes, wantsToLink: () => false }, isInFront: false })
    assert.deepEqual(await passkeys().relayed(phone, 0, 0), { items: [] })
    assert.throws(() => passkeys().relay(phone, { adv_secret: '' }), { code: 'conflict' })
    const companion = await scanned(phone)
    const program = play()
    const signed = await sign((await companion.requested())!)
    await companion.sendPrologue(await companion.attempt(await companion.queryRef()), signed)
    await assert.rejects(program.done, /did not want to link/)
    assert.throws(() => passkeys().relay(phone, { adv_secret: 'AAAA' }), { code: 'invalid_request' })
    assert.equal(companion.continuations.length, 0)
  })
})

describe('what is no assertion of this passkey is refused', () => {
  type Case = [name: string, code: number, change: (phone: string, options: Options) => Signed]
  const changed = (phone: string, options: Options, change: (signed: Signed) => void) => {
    const signed = signs(phone)(options)
    change(signed)
    return signed
  }
  const spoilt = (spoil: NonNullable<SignInput['spoil']>) => (phone: string, options: Options) => signs(phone, { spoil })(options)
  const cases: Case[] = [
    ['another signature', 403, spoilt('signature')],
    ['another challenge', 403, spoilt('challenge')],
    ['another relying party', 403, spoilt('rp_id')],
    ['the registration of a passkey', 403, spoilt('type')],
    ['the passkey of another account', 403, spoilt('credential')],
    ['another owner', 403, spoilt('user_handle')],
    ['a page of somebody else', 403, (phone, options) => signs(phone, { origin: 'https://whatsapp.com.example.org' })(options)],
    ['a page without TLS', 403, (phone, options) => signs(phone, { origin: 'http://web.whatsapp.com' })(options)],
    ['nobody present', 403, (phone, options) => signs(phone, { flags: 0x04 })(options)],
    ['nobody verified', 403, (phone, options) => signs(phone, { flags: 0x01 })(options)],
    ['padding', 400, (phone, options) => changed(phone, options, ({ response }) => (response.signature += '='))],
    ['another id than rawId', 400, (phone, options) => changed(phone, options, (signed) => (signed.id = 'AAAA'))],
    [
      'no authenticator data',
      400,
      (phone, options) => changed(phone, options, ({ response }) => (response.authenticatorData = '')),
    ],
    [
      'client data that is no JSON',
      400,
      (phone, options) => changed(phone, options, ({ response }) => (response.clientDataJSON = 'AAAA')),
    ],
  ]

  test('each by its code, and the attempt after it goes through on the same connection', async () => {
    for (const [name, code, change] of cases) {
      const phone = newPhone()
      const companion = await scanned(phone)
      const attempt = await companion.attempt(await companion.queryRef())
      const options = (await companion.requested())!
      await assert.rejects(companion.sendPrologue(attempt, change(phone, options)), refused(code), name)
      assert.equal(ceremonyOf(phone).problems.length, 1, name)
      if (name === 'another signature') await secondAttempt(phone, companion)
    }
  })

  async function secondAttempt(phone: string, companion: PasskeyClient) {
    const signed = signs(phone)(await companion.queryOptions())
    const attempt = await companion.attempt(await companion.queryRef())
    await companion.sendPrologue(attempt, signed, { withProof: false })
    const primary = await companion.continued()
    await companion.sendNonce(attempt)
    await companion.sendRequest(attempt, primary)
    await reaches(phone, isStage('linked'))
    assert.equal(ceremonyOf(phone).code, await companion.code(attempt, primary))
  }
})

test('the passkey of a phone is found again after a restart of the network', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-passkey-'))
  const options = { stateFile: join(dir, 'network.json') }
  const first = await startSimulator(options)
  first.control.createPhone({ phone: '491710000999' })
  const made = first.control.passkeys.set('491710000999', { app: 'back', bend: { options: 'query' } })
  await first.stop()
  const second = await startSimulator(options)
  assert.deepEqual(second.control.passkeys.read('491710000999'), made)
  await second.stop()
  await rm(dir, { recursive: true })
})

test('nothing was left unread, nothing unknown was asked, and the simulator made no mistake', () => {
  const { undecryptable, unknown_queries } = simulator.control.stats()
  const failures = simulator.control.failures()
  assert.deepEqual({ undecryptable, unknown_queries, failures }, { undecryptable: 0, unknown_queries: [], failures: [] })
})
