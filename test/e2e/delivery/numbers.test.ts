/** Tests that a message fails for its number only if the network clearly says that the number has no account. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addressesOf } from '../../harness/places.ts'
import { type Json, type Stage, startStage } from '../../harness/stage.ts'

const ME = '5511999990170'
const ANA = '5511988880171'
const BEN = '5511988880172'
const CARL = '5511988880173'

let stage: Stage
before(async () => {
  stage = await startStage(ME)
  for (const phone of [ANA, BEN, CARL]) await stage.world.sandbox.createContact(phone, { name: `Contact ${phone}` })
})
after(() => stage.world.stop())

const USYNC = { sid: '1', index: '0', last: 'true', mode: 'query', context: 'interactive' }
const byNumber = { xmlns: 'usync', child: 'usync/query/contact' }
const answers = (match: Json, action: Json, times: number) => stage.world.sandbox.post('/answers', { match, do: action, times })
const post = async (phone: string, message: string) =>
  String((await stage.world.gateway.must(stage.instance, 'POST', '/send-text', { phone, message })).message_id)

// An earlier bug: if the look-up of a number was refused, the message failed with phone_not_on_whatsapp. So customers
// deleted valid numbers from their lists.
test('a look-up that the network refuses is no answer: the message waits, others go past it, and it leaves', async () => {
  const refusals: Json[] = [
    {
      result: [
        ['usync', USYNC, [['result', {}, [['contact', {}, [['error', { code: 429, text: 'rate-overlimit' }]]]]], ['list']]],
      ],
    },
    { error: [429, 'rate-overlimit'] },
  ]
  const { [BEN]: ben } = await addressesOf(stage.world.sandbox)
  for (const [index, refusal] of refusals.entries()) {
    const phone = [ANA, CARL][index]!
    await answers(byNumber, refusal, 1)
    const waits = await post(phone, 'waits for an answer')
    const passes = await post(ben!.lid, 'goes past')
    assert.equal((await stage.deliveryOf(passes)).status, 'sent')
    const { data } = await stage.world.gateway.must(stage.instance, 'GET', '/queue')
    const [item] = data as Json[]
    assert.deepEqual([item?.message_id, item?.status, item?.waiting_reason], [waits, 'waiting', 'pacing'])
    assert.equal((await stage.deliveryOf(waits)).status, 'sent')
    assert.equal((await stage.next(phone)).text, 'waits for an answer')
  }
})

test('no account is said plainly, by an entry of its own or by none, and ends the message', async () => {
  const said: Json[] = [
    { result: [['usync', USYNC, [['result'], ['list', {}, [['user', {}, [['contact', { type: 'out' }]]]]]]]] },
    { result: [['usync', USYNC, [['result'], ['list']]]] },
  ]
  for (const answer of said) {
    await answers(byNumber, answer, 1)
    assert.equal(
      (await stage.outcome('/send-text', { phone: '5511988880179', message: 'anybody?' })).error_code,
      'phone_not_on_whatsapp',
    )
  }
})

test('an immediate operation is told that the network would not say', async () => {
  await answers(byNumber, { error: [429, 'rate-overlimit'] }, 1)
  const { status, body } = await stage.world.gateway.ask(stage.instance, 'POST', '/send-presence', {
    phone: '5511988880178',
    presence: 'composing',
  })
  assert.equal(status, 502, JSON.stringify(body))
  const { code, details } = body.error as { code: string; details: Json }
  assert.deepEqual([code, details], ['action_failed', { network_code: 429 }])
})

// An earlier bug: a send to a number without a LID ended with "All encryptions failed".
test('a number that has an account and no LID yet gets its first message', async () => {
  const addresses = await addressesOf(stage.world.sandbox)
  const devices = ['devices', {}, [['device-list', {}, [['device', { id: 0 }]]]]]
  const users = (content: unknown[]) =>
    [ME, '5511988880174'].map((phone) => ['user', { jid: `${phone}@s.whatsapp.net` }, content])
  const listed = (content: unknown[]) => ({ result: [['usync', USYNC, [['result'], ['list', {}, users(content)]]]] })
  assert.ok(addresses[ME])
  await stage.world.sandbox.createContact('5511988880174', { name: 'New' })
  await answers({ xmlns: 'usync', child: 'usync/query/lid' }, listed([]), 10)
  await answers({ xmlns: 'usync', child: 'usync/query/devices' }, listed([devices]), 1)
  const { text } = await stage.shown('/send-text', { phone: '5511988880174', message: 'welcome' })
  assert.equal(text, 'welcome')
})

test('a delivery names the person as every other event does, however the request wrote them', async () => {
  const { [ANA]: ana } = await addressesOf(stage.world.sandbox)
  for (const written of [ANA, ANA.replace('119', '11'), ana!.lid]) {
    const id = await post(written, `to ${written}`)
    assert.equal((await stage.deliveryOf(id)).phone, ANA, written)
    const status = await stage.world.receiver.waitFor(
      `status of ${id}`,
      (event) => event.type === 'message_status' && (event.ids as string[]).includes(id),
    )
    assert.equal(status.phone, ANA, written)
  }
})
