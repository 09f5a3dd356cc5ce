import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { PasskeyBends, PasskeyStep } from '../../packages/sandbox/src/testing.ts'
import { agree } from '../harness/crsc.ts'
import { startSimulator } from '../harness/network.ts'
import type { PasskeyClient } from './passkey-client.ts'
import { isStage, passkeyStage, refused } from './passkey-stage.ts'

const simulator = await startSimulator({ settings: { receipts: 'none' } })
after(async () => {
  await close()
  await simulator.stop()
})

const { passkeys, ceremonyOf, newPhone, signs, reaches, scanned, attempted, works, close } = passkeyStage(
  () => simulator,
  491720000001,
)

/**
 * Creates a phone that violates the protocol as `bend` says. The phone has already scanned the code of the companion
 * device (the device to link).
 */
async function bent(bend: PasskeyBends) {
  const phone = newPhone({ bend })
  return { phone, companion: await scanned(phone) }
}

async function linksAgain(phone: string, companion: PasskeyClient, count: number) {
  passkeys().set(phone, { bend: {} })
  const attempt = await attempted(phone, companion, { withProof: false })
  const primary = await companion.continued(count)
  await companion.sendNonce(attempt)
  await companion.sendRequest(attempt, primary)
  await reaches(phone, isStage('linked'))
}

describe('options', () => {
  test('the request has none: they are queried', async () => {
    const { phone, companion } = await bent({ options: 'query' })
    assert.equal(await companion.requested(), undefined)
    await companion.link(signs(phone))
    await reaches(phone, isStage('linked'))
  })

  test('what is no JSON and what has no challenge; queried ones are good', async () => {
    const { phone, companion } = await bent({ options: 'no_challenge' })
    assert.equal('challenge' in (await companion.requested())!, false)
    await linksAgain(phone, companion, 1)
    const useless = await bent({ options: 'not_json' })
    await assert.rejects(useless.companion.requested(), SyntaxError)
    await linksAgain(useless.phone, useless.companion, 1)
  })

  test('a challenge that expired, and one that a newer one replaced', async () => {
    const { phone, companion } = await bent({ challenge: 'stale' })
    const first = (await companion.requested())!
    const attempt = await companion.attempt(await companion.queryRef())
    await assert.rejects(companion.sendPrologue(attempt, signs(phone)(first)), refused(410))
    passkeys().set(phone, { bend: {} })
    await companion.queryOptions()
    const second = await companion.attempt(await companion.queryRef())
    await assert.rejects(companion.sendPrologue(second, signs(phone)(first)), refused(403))
    await linksAgain(phone, companion, 1)
  })
})

describe('continuations', () => {
  const isMalformed: [PasskeyBends['continuation'], RegExp][] = [
    ['short_key', /field 1 has 31 bytes/],
    ['short_nonce', /field 2 has 31 bytes/],
    ['not_protobuf', /breaks off/],
    ['other_tag', /nothing has no bytes/],
    ['other_sender', /from 15550000000/],
  ]
  test('one that is malformed; the next attempt goes through', async () => {
    for (const [continuation, problem] of isMalformed) {
      const { phone, companion } = await bent({ continuation })
      await companion.requested()
      await attempted(phone, companion)
      await assert.rejects(companion.continued(), problem)
      await linksAgain(phone, companion, 2)
    }
  })

  test('none; the next attempt goes through', async () => {
    const { phone, companion } = await bent({ continuation: 'none' })
    await companion.requested()
    await attempted(phone, companion)
    await reaches(phone, isStage('deciding'))
    await linksAgain(phone, companion, 1)
  })

  test('two: the first one counts', async () => {
    const { phone, companion } = await bent({ continuation: 'twice' })
    const code = await companion.link(signs(phone))
    await reaches(phone, isStage('linked'))
    assert.equal(ceremonyOf(phone).code, code)
    await companion.continued(2)
  })

  test('one with a key that makes every agreement zero', async () => {
    const { phone, companion } = await bent({ continuation: 'zero_key' })
    await companion.requested()
    const { pair } = await attempted(phone, companion)
    const { key } = await companion.continued()
    await assert.rejects(agree(pair, key))
  })

  test('one of somebody else: the codes differ, and the request does not open', async () => {
    const { phone, companion } = await bent({ continuation: 'foreign' })
    const code = await companion.link(signs(phone))
    assert.deepEqual(await reaches(phone, isStage('discarded')), ['the sealed request does not open'])
    assert.notEqual(ceremonyOf(phone).code, code)
  })

  test('one before the answer to the prologue', async () => {
    const { phone, companion } = await bent({ continuation: 'early' })
    await companion.requested()
    const order: string[] = []
    companion.client.socket.ws.on('CB:notification,type:crsc_continuation', () => order.push('continuation'))
    await attempted(phone, companion)
    order.push('answer')
    assert.deepEqual(order, ['continuation', 'answer'])
  })

  test('one that nobody asked for, and one at any time', async () => {
    const { phone, companion } = await bent({ continuation: 'unasked' })
    await companion.continued()
    passkeys().say(phone, 'continuation')
    await companion.continued(2)
    await linksAgain(phone, companion, 3)
  })

  test('a late one of an attempt that was given up', async () => {
    const { phone, companion } = await bent({ continuation_delay_ms: 200 })
    await companion.requested()
    await attempted(phone, companion)
    passkeys().set(phone, { bend: {} })
    const attempt = await attempted(phone, companion, { withProof: false })
    const primary = await companion.continued()
    await companion.sendNonce(attempt)
    await companion.continued(2)
    await companion.sendRequest(attempt, primary)
    await reaches(phone, isStage('linked'))
  })
})

describe('the end', () => {
  test('pair-success before the answer to the sealed request', async () => {
    const { phone, companion } = await bent({ pair_success: 'early' })
    const order: string[] = []
    companion.client.socket.ws.on('CB:iq,,pair-success', () => order.push('pair-success'))
    await companion.link(signs(phone))
    order.push('answer')
    await reaches(phone, isStage('linked'))
    assert.deepEqual(order, ['pair-success', 'answer'])
    await works(phone, companion)
  })

  test('pair-success under the secret of the code is not accepted', async () => {
    const { phone, companion } = await bent({ pair_success: 'old_secret' })
    await companion.link(signs(phone)).catch(() => {})
    assert.match((await companion.client.ended()).message, /Invalid account signature|HMAC/i)
    const [problem] = await reaches(phone, isStage('discarded'))
    assert.match(problem!, /the device did not accept the pairing/)
  })

  const steps: PasskeyStep[] = ['request', 'options', 'ref', 'prologue', 'continuation', 'nonce', 'sealed_request']
  test('the connection is cut after each step', async () => {
    for (const step of steps) {
      const { phone, companion } = await bent({ cut_after: step })
      const done: PasskeyStep[] = []
      const run = async () => {
        await companion.requested()
        done.push('request')
        const signed = signs(phone)(await companion.queryOptions())
        done.push('options')
        const ref = await companion.queryRef()
        done.push('ref')
        const attempt = await companion.attempt(ref)
        await companion.sendPrologue(attempt, signed)
        done.push('prologue')
        const primary = await companion.continued()
        done.push('continuation')
        await companion.sendNonce(attempt)
        done.push('nonce')
        await companion.sendRequest(attempt, primary)
        done.push('sealed_request')
      }
      await Promise.race([run().catch(() => {}), companion.client.ended()])
      assert.equal((await companion.client.ended()).code, 428, step)
      // The cut comes right after the answer of the step, so on a busy machine the device may get one more answer.
      assert.ok(done.includes(step) && done.length <= steps.indexOf(step) + 2, `${step}: ${done.join()}`)
      assert.deepEqual(await reaches(phone, isStage('discarded')), ['the connection ended'])
    }
  })
})

describe('the phone', () => {
  test('stays silent when the account has all the devices it may have', async () => {
    const phone = newPhone({ limit: true })
    const companion = await scanned(phone)
    await companion.requested()
    await attempted(phone, companion)
    assert.deepEqual(await reaches(phone, isStage('discarded')), ['as many devices are linked as the account may have'])
  })

  test('discards the registration when WhatsApp leaves the foreground before the prologue, or while its owner is asked', async () => {
    for (const withPrologue of [false, true]) {
      const phone = newPhone({ answers: 'never' })
      const companion = await scanned(phone)
      await companion.requested()
      if (withPrologue) await attempted(phone, companion, { withProof: false })
      await reaches(phone, ({ asks }) => (asks === 'link') === withPrologue)
      passkeys().set(phone, { app: 'back' })
      assert.deepEqual(ceremonyOf(phone).problems, ['WhatsApp left the foreground'])
      // The registration was discarded. So from here on the network answers queries, but sends no notifications.
      await attempted(phone, companion, { withProof: false })
      assert.equal(companion.continuations.length, 0)
    }
  })

  test('does not accept the proof: its owner is asked', async () => {
    const phone = newPhone({ answers: 'never', bend: { proof: 'refuse' } })
    const companion = await scanned(phone)
    await companion.requested()
    await attempted(phone, companion)
    await reaches(phone, ({ asks, proof }) => asks === 'link' && proof === 'refused')
  })

  test('accepts another code: the one before is over', async () => {
    const phone = newPhone()
    await scanned(phone)
    const first = simulator.control.passkeys.read(phone).ceremony!.conn
    const second = await scanned(phone)
    assert.notEqual(ceremonyOf(phone).conn, first)
    await second.link(signs(phone))
    await reaches(phone, isStage('linked'))
  })

  test('a second request replaces the challenge, and a refresh means nothing any more', async () => {
    const phone = newPhone()
    const companion = await scanned(phone)
    const first = (await companion.requested())!
    passkeys().say(phone, 'request')
    passkeys().say(phone, 'refresh')
    const second = (await companion.requested(2))!
    const attempt = await companion.attempt(await companion.queryRef())
    await assert.rejects(companion.sendPrologue(attempt, signs(phone)(first)), refused(403))
    assert.notEqual(first.challenge, second.challenge)
    await linksAgain(phone, companion, 1)
  })
})

test('each of the four queries is answered with an error that was ordered, once', async () => {
  const { phone, companion } = await bent({})
  await companion.requested()
  const order = (child: string) =>
    simulator.control.answerInstead({ match: { xmlns: 'md', child }, do: { error: [403, 'forbidden'] }, times: 1 })
  order('ref')
  await assert.rejects(companion.queryRef(), refused(403))
  order('passkey_prologue')
  await assert.rejects(attempted(phone, companion), refused(403))
  const attempt = await attempted(phone, companion, { withProof: false })
  const primary = await companion.continued()
  order('companion_nonce')
  await assert.rejects(companion.sendNonce(attempt), refused(403))
  await companion.sendNonce(attempt)
  order('encrypted_pairing_request')
  await assert.rejects(companion.sendRequest(attempt, primary), refused(403))
  await companion.sendRequest(attempt, primary)
  await reaches(phone, isStage('linked'))
})

test('nothing unknown was asked, and the simulator made no mistake', () => {
  assert.deepEqual(simulator.control.stats().unknown_queries, [])
  assert.deepEqual(simulator.control.failures(), [])
})
