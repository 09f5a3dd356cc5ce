/** Tests time limits of linking with a passkey, for example those of the proof and of the waits for the owner. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PasskeyInput } from '../../packages/sandbox/src/testing.ts'
import type { Assertion, PasskeyReport } from '../../src/domain/passkey.ts'
import { codeOf, type Held, hold, MINUTE, pass, SECOND, sandbox, timed, until } from './timed-instances.ts'

const stateOf = async ({ instance }: Held) =>
  (await instance.call({ kind: 'control', operation: 'instance.passkeyState', input: {} })) as PasskeyReport

async function asked(passkey: PasskeyInput = {}): Promise<Held> {
  const held = await hold('create')
  await sandbox.setPasskey(held.phone, passkey)
  await held.is('qr', 'pairing_required')
  await sandbox.scan(held.phone, (await codeOf(held)).value!)
  await held.is('connecting', 'passkey_required')
  return held
}

async function signed(held: Held): Promise<Assertion> {
  const { public_key } = await until('something to sign', async () => {
    const state = await stateOf(held)
    return state.public_key !== null && state
  })
  return (await sandbox.signPasskey(held.phone, public_key)) as Assertion
}

const handIn = (held: Held, assertion: Assertion) =>
  held.ask<{ value: true; stage: string }>('instance.passkeyResponse', { assertion })

const answer = async (held: Held) => timed(handIn(held, await signed(held)))

const ceremonyOf = async ({ phone }: Held) => (await sandbox.passkey(phone)).ceremony!
const codeShown = (held: Held) =>
  until('the code', async () => {
    const state = await stateOf(held)
    return state.code !== null && state
  })

const GOOD = ['created', 'starting', 'qr', 'connecting', 'connected']

describe('with the real QR clock', () => {
  test('an answer after three minutes links, and the phone asks nothing', async () => {
    const held = await asked()
    await pass(3 * MINUTE)
    assert.deepEqual(await answer(held), { value: true, stage: 'awaiting_confirmation' })
    await held.is('connected', null)
    const { proof, problems } = await ceremonyOf(held)
    assert.deepEqual([proof, problems], ['good', []])
    assert.deepEqual(held.path(), GOOD)
  })

  test('an answer after more than five minutes has no proof: the owner compares the code', async () => {
    const held = await asked()
    await pass(5 * MINUTE + 30 * SECOND)
    await answer(held)
    const { needs_confirmation, stage } = await codeShown(held)
    assert.deepEqual([stage, needs_confirmation], ['awaiting_confirmation', true])
    await held.ask('instance.passkeyConfirm', { matches: true })
    await held.is('connected', null)
    assert.deepEqual([(await ceremonyOf(held)).proof, held.path()], ['none', GOOD])
  })
})

test('a code that was typed, and an answer after three minutes', async () => {
  const held = await hold('create')
  await sandbox.setPasskey(held.phone)
  await held.is('qr', 'pairing_required')
  await pass(2 * MINUTE)
  const { value } = await timed(held.ask<{ value: string }>('instance.phoneCode', { phone: held.phone }))
  await sandbox.enterCode(held.phone, value)
  await held.is('connecting', 'passkey_required')
  await pass(3 * MINUTE)
  await answer(held)
  await held.is('connected', null)
  assert.deepEqual([(await ceremonyOf(held)).proof, held.path()], ['good', GOOD])
})

test('what nobody signs ends after ten minutes', async () => {
  const held = await asked()
  const begun = await stateOf(held)
  assert.ok(Math.abs(Date.parse(begun.expires_at!) - Date.now() - 10 * MINUTE) < 5 * SECOND)
  await pass(9 * MINUTE + 30 * SECOND)
  assert.equal(held.state().reason, 'passkey_required')
  await pass(40 * SECOND)
  await held.is('logged_out', 'pairing_failed')
  const { stage, public_key, last_error, attempts_left } = await stateOf(held)
  assert.deepEqual(
    { stage, public_key, last_error, attempts_left },
    { stage: 'none', public_key: null, last_error: 'timed_out', attempts_left: 3 },
  )
  await until('the socket to be left', async () => (await sandbox.stats()).connections === 0)
})

test('a phone that stays silent is asked three times, each time with a new challenge, and then the pairing has failed', async () => {
  const held = await asked({ bend: { continuation: 'none' } })
  const challenges = new Set<unknown>()
  for (const left of [2, 1, 0]) {
    challenges.add((await stateOf(held)).public_key?.challenge)
    await answer(held)
    await held.is('connecting', 'passkey_confirmation')
    assert.equal((await stateOf(held)).attempts_left, left)
    await pass(115 * SECOND)
    assert.equal(held.state().reason, 'passkey_confirmation')
    await pass(10 * SECOND)
    if (left === 0) break
    await held.is('connecting', 'passkey_required')
    const again = await until('something to sign', async () => {
      const state = await stateOf(held)
      return state.public_key !== null && state
    })
    assert.deepEqual([again.stage, again.last_error], ['awaiting_response', 'no_answer_from_phone'])
  }
  await held.is('logged_out', 'pairing_failed')
  assert.equal(challenges.size, 3)
  assert.equal((await stateOf(held)).last_error, 'no_answer_from_phone')
})

test('after a silent phone the next answer has no proof, and its code is compared', async () => {
  const held = await asked({ bend: { continuation: 'none' } })
  await answer(held)
  await sandbox.setPasskey(held.phone, { bend: {} })
  await pass(2 * MINUTE + 5 * SECOND)
  await held.is('connecting', 'passkey_required')
  await answer(held)
  assert.equal((await codeShown(held)).needs_confirmation, true)
  await held.ask('instance.passkeyConfirm', { matches: true })
  await held.is('connected', null)
})

test('an owner who never says whether the codes are the same ends it after two minutes', async () => {
  const held = await asked({ app: 'back' })
  // The answer comes more than five minutes after the request, so there is no valid proof. The owner must compare the
  // codes.
  await pass(5 * MINUTE + 10 * SECOND)
  await answer(held)
  await codeShown(held)
  await pass(115 * SECOND)
  assert.equal(held.state().reason, 'passkey_confirmation')
  await pass(10 * SECOND)
  await held.is('logged_out', 'pairing_failed')
  assert.equal((await stateOf(held)).last_error, 'timed_out')
})

test('a phone whose owner never says yes ends it two minutes after everything was sent', async () => {
  const held = await asked({ app: 'back', answers: 'never' })
  await answer(held)
  await until('the question on the phone', async () => (await ceremonyOf(held)).asks === 'link')
  await sandbox.acceptPasskey(held.phone)
  // The service has sent a proof, so nobody has to confirm the code on this page. The code is shown nevertheless.
  const { stage, needs_confirmation, code } = await codeShown(held)
  assert.deepEqual([stage, needs_confirmation], ['linking', false])
  assert.equal(code, (await ceremonyOf(held)).code)
  await pass(2 * MINUTE + 5 * SECOND)
  await held.is('logged_out', 'pairing_failed')
  assert.equal((await stateOf(held)).last_error, 'no_answer_from_phone')
})

test('a query that is not answered is an attempt that has failed', async () => {
  const held = await asked()
  const match = { xmlns: 'md', child: 'passkey_prologue' }
  await sandbox.post('/answers', { match, do: 'nothing', times: 1 })
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, wait_ms: 0 })
  const refused = assert.rejects(handIn(held, await signed(held)), { code: 'send_timeout' })
  await sandbox.get(`/expect/${id}?wait_ms=10000`)
  await pass(25 * SECOND)
  await refused
  const { attempts_left, last_error, public_key } = await stateOf(held)
  assert.deepEqual([attempts_left, last_error], [2, 'refused'])
  assert.notEqual(public_key, null)
  await answer(held)
  assert.equal((await codeShown(held)).needs_confirmation, true)
  await held.ask('instance.passkeyConfirm', { matches: true })
  await held.is('connected', null)
})
