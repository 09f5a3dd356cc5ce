import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CeremonyView } from '../../../packages/sandbox/src/testing.ts'
import {
  again,
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
  STAGES,
  scan,
  see,
  stateOf,
  taken,
  waiting,
  world,
} from '../../harness/passkey-linking.ts'

linkWithPasskeys({ own: true })

describe('what the network refuses', { concurrency: 4 }, () => {
  test('a challenge that the network treats as expired: the next one is good', async () => {
    const linking = await asked({ bend: { challenge: 'stale' } })
    assert.deepEqual(answerOf(await answer(linking)), [502, 'action_failed'])
    await world.sandbox.setPasskey(linking.phone, { bend: {} })
    await taken(linking)
    await codeToCompare(linking)
    await confirm(linking, true)
    await connected(linking)
  })

  test('the reference: the attempt is over, and the next one links', async () => {
    const linking = await asked()
    await refuse(linking, 'ref', 500)
    assert.deepEqual(answerOf(await answer(linking)), [502, 'action_failed'])
    await taken(linking)
    await codeToCompare(linking)
    await confirm(linking, true)
    await connected(linking)
  })

  for (const child of ['companion_nonce', 'encrypted_pairing_request']) {
    test(`${child}: the pairing has failed`, async () => {
      const linking = await asked()
      await refuse(linking, child)
      await taken(linking)
      await failed(linking, 'refused')
    })
  }

  for (const options of ['query', 'not_json', 'no_challenge'] as const) {
    test(`options that have to be queried (${options})`, async () => {
      const linking = await asked({ bend: { options } })
      await taken(linking)
      await connected(linking)
      assert.equal((await ceremonyOf(linking)).proof, 'good')
    })
  }

  test('options after an answer that was refused: the pairing has failed', async () => {
    const linking = await asked()
    await refuse(linking, 'passkey_request_options', 500)
    assert.deepEqual(answerOf(await answer(linking, { spoil: 'signature' })), [502, 'action_failed'])
    await failed(linking, 'refused')
  })
})

describe('what the phone sends', { concurrency: 4 }, () => {
  for (const continuation of ['twice', 'early', 'unasked'] as const) {
    test(`${continuation}: it links`, async () => {
      const linking = await asked({ bend: { continuation } })
      await taken(linking)
      await connected(linking)
      assert.deepEqual((await ceremonyOf(linking)).problems, [])
    })
  }

  test('late: it links', async () => {
    const linking = await asked({ bend: { continuation_delay_ms: 1_500 } })
    await taken(linking)
    await see.sees(linking.instance, 'connecting', 'passkey_confirmation', CONFIRMATION)
    await connected(linking)
  })

  for (const continuation of ['short_key', 'zero_key', 'short_nonce', 'not_protobuf', 'other_tag'] as const) {
    test(`${continuation}: no nonce leaves, and the next attempt links`, async () => {
      const linking = await asked({ bend: { continuation } })
      await taken(linking)
      await found('another attempt', async () => (await stateOf(linking)).last_error === 'no_answer_from_phone')
      await see.sees(linking.instance, 'connecting', 'passkey_required', REQUIRED)
      assert.notEqual((await ceremonyOf(linking)).stage, 'confirming')
      await world.sandbox.setPasskey(linking.phone, { bend: {} })
      await taken(linking)
      await codeToCompare(linking)
      await confirm(linking, true)
      await connected(linking)
      assert.deepEqual(await see.path(linking.instance), LINKED)
    })
  }

  test('a retired secret, and a key of the phone that nobody asked for: both are confirmed, and it links', async () => {
    const linking = await asked()
    await world.sandbox.sayPasskey(linking.phone, 'refresh')
    await world.sandbox.sayPasskey(linking.phone, 'continuation')
    await found('the acks', async () => (await ceremonyOf(linking)).acks.length === 3)
    await taken(linking)
    await connected(linking)
    assert.deepEqual([(await ceremonyOf(linking)).proof, (await ceremonyOf(linking)).problems], ['good', []])
  })

  test('from somebody else: it is confirmed, and means nothing', async () => {
    const linking = await asked({ bend: { continuation: 'other_sender' } })
    await taken(linking)
    await found('the ack', async () => (await ceremonyOf(linking)).acks.length === 2)
    const { stage, code } = await stateOf(linking)
    assert.deepEqual([stage, code], ['awaiting_confirmation', null])
  })

  test('the secret is taken by the phone before the last answer: it links', async () => {
    const linking = await asked({ bend: { pair_success: 'early' } })
    await taken(linking)
    await connected(linking)
  })

  test('a link under the old secret is refused, and the pairing begins afresh', async () => {
    const linking = await asked({ bend: { pair_success: 'old_secret' } })
    await taken(linking)
    await see.sees(linking.instance, 'qr', 'pairing_required', /Waiting/)
    assert.equal((await stateOf(linking)).last_error, 'connection_lost')
  })

  test('asked again while the phone has its turn: nothing changes', async () => {
    const linking = await asked({ app: 'back', answers: 'never' })
    await taken(linking)
    await found('the question on the phone', async () => (await ceremonyOf(linking)).asks === 'link')
    await world.sandbox.sayPasskey(linking.phone, 'request')
    await found('the ack', async () => (await ceremonyOf(linking)).acks.length === 2)
    assert.equal((await stateOf(linking)).stage, 'awaiting_confirmation')
    await world.sandbox.setPasskey(linking.phone, { answers: 'yes' })
    await world.sandbox.acceptPasskey(linking.phone)
    await connected(linking)
  })
})

describe('the connection is lost', { concurrency: 4 }, () => {
  for (const step of ['request', 'options', 'ref', 'prologue', 'continuation', 'nonce', 'sealed_request'] as const) {
    test(`after ${step}: a new code, and the next scan links`, async () => {
      const linking = await waiting({
        bend: { cut_after: step, ...(step === 'options' ? { options: 'query' } : {}) },
        ...(step === 'sealed_request' ? { app: 'back', answers: 'yes' } : {}),
      })
      const { instance } = linking
      await scan(linking)
      await see.told(instance, 'connecting', null)
      if (step !== 'request' && step !== 'options') await answer(linking)
      await see.told(instance, 'qr', null, 4)
      await see.sees(instance, 'qr', 'pairing_required', /Waiting/)
      assert.equal((await stateOf(linking)).last_error, 'connection_lost')
      await world.sandbox.setPasskey(linking.phone, { bend: {}, app: 'front' })
      await scan(linking)
      await taken(linking)
      await connected(linking)
      assert.deepEqual(await see.path(instance), [...LINKED.slice(0, 4), 'starting', 'qr', 'connecting', 'connected'])
    })
  }
})

describe('the owner changes their mind', { concurrency: 4 }, () => {
  for (const [stage, reach] of Object.entries(STAGES)) {
    test(`${stage}: a disconnect ends it`, async () => {
      const linking = await reach()
      assert.deepEqual(await world.gateway.must(linking.instance, 'POST', '/disconnect'), { value: true, status: 'logged_out' })
      await see.sees(linking.instance, 'logged_out', 'logout_requested', /API or the dashboard/)
      assert.equal((await stateOf(linking)).stage, 'none')
      await again(linking)
    })

    test(`${stage}: a restart begins afresh`, async () => {
      const linking = await reach()
      assert.deepEqual(await world.gateway.must(linking.instance, 'POST', '/restart'), { value: true, status: 'starting' })
      await see.sees(linking.instance, 'qr', 'pairing_required', /Waiting/)
      assert.equal((await stateOf(linking)).stage, 'none')
      await again(linking)
    })
  }
})

const STOPPED = 'The session is not running; request a QR code to start it.'

/**
 * Prepares a linking in each stage, and calls `end`, which ends the shard thread. After that, no device may be partly
 * linked.
 */
async function survives(end: () => Promise<unknown>) {
  const all = await Promise.all(Object.values(STAGES).map((reach) => reach()))
  const before = await Promise.all(all.map((linking): Promise<CeremonyView> => ceremonyOf(linking)))
  assert.ok(before.every(({ device }) => device === null))
  await end()
  for (const linking of all) {
    linking.instance = {
      ...linking.instance,
      api_url: `${world.gateway.baseUrl}${new URL(linking.instance.api_url).pathname}`,
    }
    await see.sees(linking.instance, 'stopped', 'engine_restart', STOPPED, 60_000)
    await see.told(linking.instance, 'stopped', 'engine_restart')
    assert.equal((await stateOf(linking)).stage, 'none')
    assert.deepEqual(await see.path(linking.instance), ['created', 'starting', 'qr', 'connecting', 'stopped'])
    await again(linking)
  }
}

test('a shard crashes in every stage', () => survives(() => world.service.engine.crashShard(0)))

test('the service restarts in every stage', () => survives(() => world.restartService()))
