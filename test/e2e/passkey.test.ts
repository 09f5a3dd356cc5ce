/** Tests linking with a passkey. `test/faults/long/passkey-bends.test.ts` tests deviations from the protocol. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAuthenticator, type Options } from '../harness/passkey-authenticator.ts'
import {
  answer,
  answerOf,
  asked,
  CONFIRMATION,
  ceremonyOf,
  codeToCompare,
  confirm,
  connected,
  failed,
  found,
  LINKED,
  linkWithPasskeys,
  REQUIRED,
  refuse,
  scan,
  see,
  stateOf,
  TAKEN,
  taken,
  toSign,
  waiting,
  withoutProof,
  works,
  world,
} from '../harness/passkey-linking.ts'
import { playPhone } from '../harness/passkey-phone.ts'

linkWithPasskeys()

describe('a proof that holds', { concurrency: 4 }, () => {
  test('by QR code: the phone continues by itself, one event reports the passkey, and the instance works', async () => {
    const linking = await asked()
    const { instance } = linking
    const { expires_at, ...rest } = await stateOf(linking)
    assert.ok(Math.abs(Date.parse(expires_at!) - Date.now() - 600_000) < 20_000)
    const { challenge, rpId } = rest.public_key!
    assert.deepEqual([typeof challenge, rpId], ['string', 'whatsapp.com'])
    assert.deepEqual(
      { ...rest, public_key: null },
      {
        stage: 'awaiting_response',
        public_key: null,
        attempts_left: 3,
        code: null,
        needs_confirmation: false,
        helper_seen: false,
        last_error: null,
      },
    )
    const told = await see.told(instance, 'connecting', null)
    assert.deepEqual(
      [told.previous_status, told.status_reason, told.disconnect_reason, told.reason],
      ['qr', 'passkey_required', null, REQUIRED],
    )
    assert.deepEqual(await world.gateway.must(instance, 'GET', '/qr-code'), { value: null, connected: false })
    assert.deepEqual(answerOf(await world.gateway.ask(instance, 'GET', `/phone-code/${linking.phone}`)), [
      409,
      'instance_starting',
    ])
    await taken(linking)
    await connected(linking)
    assert.deepEqual(await see.path(instance), LINKED)
    const { proof, problems, acks } = await ceremonyOf(linking)
    assert.deepEqual([proof, problems], ['good', []])
    assert.deepEqual(acks, [
      { type: 'passkey_prologue_request', error: null },
      { type: 'crsc_continuation', error: null },
    ])
    assert.equal((await stateOf(linking)).stage, 'none')
    await works(linking)
  })

  test('by pairing code: the same', async () => {
    const linking = await waiting()
    const { phone, instance } = linking
    const { value } = await world.gateway.must(instance, 'GET', `/phone-code/${phone}`)
    await world.sandbox.enterCode(phone, String(value))
    await see.sees(instance, 'connecting', 'passkey_required', REQUIRED)
    await taken(linking)
    await connected(linking)
    assert.deepEqual(await see.path(instance), LINKED)
    assert.equal((await ceremonyOf(linking)).proof, 'good')
    await works(linking)
  })

  test('WhatsApp in the background: the owner confirms on the phone, and the code is shown here all the same', async () => {
    const linking = await asked({ app: 'back', answers: 'never' })
    await taken(linking)
    await see.sees(linking.instance, 'connecting', 'passkey_confirmation', CONFIRMATION)
    await found('the question on the phone', async () => (await ceremonyOf(linking)).asks === 'link')
    await world.sandbox.acceptPasskey(linking.phone)
    const { code, stage, needs_confirmation } = await found('the code', async () => {
      const state = await stateOf(linking)
      return state.code === null ? undefined : state
    })
    assert.deepEqual([stage, needs_confirmation], ['linking', false])
    assert.match(code!, /^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
    assert.deepEqual(answerOf(await confirm(linking, true)), [409, 'passkey_not_pending'])
    await world.sandbox.acceptPasskey(linking.phone, { code: code! })
    await connected(linking)
    assert.deepEqual(await see.path(linking.instance), LINKED)
  })
})

describe('a phone of another make, which shares no code with ours or the simulator', () => {
  for (const hasProof of [true, false]) {
    test(hasProof ? 'takes our proof and our secret' : 'shows the same code, and takes our secret', async () => {
      const { sandbox } = world
      const { sign, ...passkey } = await createAuthenticator()
      const linking = await waiting({ ...passkey, played_by: 'program' })
      const path = `/phones/${linking.phone}/passkey/relay`
      await scan(linking)
      let shown: string | undefined
      const played = playPhone(
        {
          read: (after, waitMs) => sandbox.get(`${path}?after=${after}&wait_ms=${waitMs}`),
          send: (input) => sandbox.post(path, input),
        },
        { passkey, owner: { wantsToLink: () => true, codeIsEqual: (code) => code === shown } },
      )
      const respond = async () =>
        world.gateway.ask(linking.instance, 'POST', '/passkey/response', {
          assertion: await sign((await toSign(linking)) as unknown as Options),
        })
      if (!hasProof) {
        await refuse(linking, 'passkey_prologue')
        assert.deepEqual(answerOf(await respond()), [502, 'action_failed'])
      }
      assert.deepEqual(answerOf(await respond()), TAKEN)
      if (!hasProof) {
        shown = await codeToCompare(linking)
        await confirm(linking, true)
      }
      await played.done
      await connected(linking)
      assert.equal(played.hasProof, hasProof)
      if (!hasProof) assert.equal(played.code, shown)
    })
  }
})

describe('without a proof', { concurrency: 4 }, () => {
  test('the owner finds the codes equal', async () => {
    const linking = await asked()
    await withoutProof(linking)
    await taken(linking)
    const code = await codeToCompare(linking)
    assert.equal((await ceremonyOf(linking)).code, code)
    const { stage, attempts_left, public_key } = await stateOf(linking)
    assert.deepEqual({ stage, attempts_left, public_key }, { stage: 'awaiting_confirmation', attempts_left: 1, public_key: null })
    assert.deepEqual((await confirm(linking, true)).body, { value: true })
    assert.deepEqual(answerOf(await confirm(linking, true)), [409, 'passkey_not_pending'])
    await connected(linking)
    assert.deepEqual(await see.path(linking.instance), LINKED)
  })

  test('somebody is in between: the codes differ, the owner says so, and nothing was sealed for anybody', async () => {
    const linking = await asked()
    await withoutProof(linking)
    await world.sandbox.setPasskey(linking.phone, { bend: { continuation: 'foreign' } })
    await taken(linking)
    const code = await codeToCompare(linking)
    const { code: onPhone, stage } = await found('the code on the phone', async () => {
      const view = await ceremonyOf(linking)
      return view.code === null ? undefined : view
    })
    assert.notEqual(code, onPhone)
    assert.deepEqual((await confirm(linking, false)).body, { value: true })
    await failed(linking, 'codes_differ')
    assert.notEqual(stage, 'linking')
    assert.equal((await see.told(linking.instance, 'logged_out', 'pairing_failed')).previous_status, 'connecting')
    assert.deepEqual(await see.path(linking.instance), ['created', 'starting', 'qr', 'connecting', 'logged_out'])
  })
})

describe('an answer that cannot be right is refused before anything is sent', { concurrency: 4 }, () => {
  const issueOf = (body: unknown) =>
    (body as { error: { details: { issues: { path: string; message: string }[] } } }).error.details.issues[0]

  test('each with the member that is wrong; the right one is taken afterwards', async () => {
    const linking = await asked()
    for (const [more, path, message] of [
      [{ spoil: 'challenge' }, 'assertion.response.clientDataJSON', /signed for another challenge; reload that page/],
      [{ spoil: 'type' }, 'assertion.response.clientDataJSON', /webauthn\.get/],
      [{ origin: 'https://whatsapp.example' }, 'assertion.response.clientDataJSON', /no page of whatsapp\.com/],
      [{ spoil: 'rp_id' }, 'assertion.response.authenticatorData', /not for whatsapp\.com/],
      [{ flags: 4 }, 'assertion.response.authenticatorData', /somebody was there/],
      [{ flags: 1 }, 'assertion.response.authenticatorData', /verified/],
    ] as const) {
      const { status, body } = await answer(linking, more)
      assert.equal(status, 400)
      assert.equal(issueOf(body)?.path, path)
      assert.match(issueOf(body)!.message, message)
    }
    assert.equal((await ceremonyOf(linking)).prologues, 0)
    assert.equal((await stateOf(linking)).attempts_left, 3)
    await taken(linking)
    await connected(linking)
  })

  test('ten of them, and the pairing has to be started over', async () => {
    const linking = await asked()
    for (let count = 0; count < 10; count++) assert.equal((await answer(linking, { spoil: 'challenge' })).status, 400)
    assert.deepEqual(answerOf(await answer(linking)), [429, 'rate_limited'])
    assert.equal((await world.gateway.must(linking.instance, 'POST', '/restart')).status, 'starting')
    await see.sees(linking.instance, 'qr', 'pairing_required', /Waiting/)
    await scan(linking)
    await taken(linking)
    await connected(linking)
  })

  test('nothing is asked for: no answer, no word about a code, no ticket', async () => {
    const linking = await waiting()
    const assertion = await world.sandbox.signPasskey(linking.phone, { challenge: 'AAAA', rpId: 'whatsapp.com' })
    for (const [path, body] of [
      ['/passkey/response', { assertion }],
      ['/passkey/confirm', { matches: true }],
      ['/passkey/ticket', {}],
    ] as const)
      assert.deepEqual(answerOf(await world.gateway.ask(linking.instance, 'POST', path, body)), [409, 'passkey_not_pending'])
    const { stage, public_key, expires_at } = await stateOf(linking)
    assert.deepEqual([stage, public_key, expires_at], ['none', null, null])
  })
})

describe('what goes wrong', { concurrency: 4 }, () => {
  test('three answers, and the pairing has failed; the code of the network is told', async () => {
    const linking = await asked()
    for (const left of [2, 1, 0]) {
      const { status, body } = await answer(linking, { spoil: 'signature' })
      const { code, details } = body.error as { code: string; details: Record<string, unknown> }
      assert.deepEqual([status, code, details.network_code], [502, 'action_failed', 403])
      const { attempts_left, last_error } = await stateOf(linking)
      assert.deepEqual([left > 0 ? attempts_left : 0, last_error], [left, 'refused'])
    }
    await failed(linking, 'refused')
  })

  test('the passkey is asked for again: the newest challenge counts, and the proof is still that of the code', async () => {
    const linking = await asked()
    const first = await toSign(linking)
    await world.sandbox.sayPasskey(linking.phone, 'request')
    await found('another challenge', async () => (await toSign(linking)).challenge !== first.challenge)
    const assertion = await world.sandbox.signPasskey(linking.phone, first)
    assert.equal((await world.gateway.ask(linking.instance, 'POST', '/passkey/response', { assertion })).status, 400)
    await taken(linking)
    await connected(linking)
    assert.equal((await ceremonyOf(linking)).proof, 'good')
  })
})
