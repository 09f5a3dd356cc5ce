import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { HOUR } from '../../src/domain/clock.ts'
import { type Json, type Stage, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const PEOPLE = [
  '5511988880001',
  '5511988880002',
  '5511988880003',
  '5511988880004',
  '5511988880005',
  '5511988880006',
  '5511988880007',
] as const
const [ANA, BEN, CARA, DORA, EVA, FAY, GUS] = PEOPLE
const OFF = {
  first_contacts_per_hour: null,
  first_contacts_per_day: null,
  first_contacts_warm_up: null,
  quiet_hours: null,
  pause_after_unanswered: null,
}

let stage: Stage
before(async () => {
  stage = await startStage(ME)
  for (const phone of PEOPLE) await stage.world.sandbox.createContact(phone, { name: `Person ${phone.at(-1)}` })
})
afterEach(() => set(OFF))
after(() => stage.world.stop())

const ask = (method: 'GET' | 'PUT' | 'POST', path: string, body?: Json) =>
  stage.world.gateway.must(stage.instance, method, path, body) as Promise<Json>
const set = (settings: Json) => ask('PUT', '/settings', settings)
const post = async (message: string, phone: string) => String((await ask('POST', '/send-text', { phone, message })).message_id)
const queue = async () => (await ask('GET', '/queue')).data as Json[]
const safety = () => ask('GET', '/send-safety')
const isSent = async (id: string) => assert.equal((await stage.deliveryOf(id)).status, 'sent')

/** Waits until the message is held back for this reason, because the service first looks up the recipient. */
async function isHeld(id: string, reason: string) {
  for (;;) {
    const item = (await queue()).find(({ message_id }) => message_id === id)
    assert.ok(item, 'the item has left')
    if (item.waiting_reason === reason) return item
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

async function write(from: string, text: string) {
  const { id } = await stage.world.sandbox.send(from, ME, { text })
  await stage.world.receiver.waitFor('the message', (event) => event.type === 'received' && event.message_id === id)
}

test('without settings nothing waits, and no budget is shown', async () => {
  await isSent(await post('hello', ANA))
  const { hour, day, quiet_until, waiting, linked_at } = await safety()
  assert.deepEqual({ hour, day, quiet_until }, { hour: null, day: null, quiet_until: null })
  assert.deepEqual(waiting, { first_contact_budget: 0, quiet_hours: 0, unanswered: 0 })
  assert.ok(Math.abs(Date.parse(String(linked_at)) - Date.now()) < HOUR, 'the device was linked a moment ago')
})

test('a new person waits for the budget, known people and answers go past, and a restart changes nothing', async () => {
  await set({ first_contacts_per_hour: 1, first_contacts_warm_up: [{ day: 0, per_day: 5 }] })
  await isSent(await post('known since the test before', ANA))
  const first = await stage.deliveryOf(await post('the first contact of this hour', BEN))
  const [budget, ...others] = first.used_up_budgets as Json[]
  const { free_at, ...rest } = budget!
  assert.deepEqual([rest, others], [{ period: 'hour', limit: 1, used: 1, waiting: 0 }, []])
  const freeIn = Date.parse(String(free_at)) - Date.now()
  assert.ok(freeIn > HOUR - 120_000 && freeIn <= HOUR, `the next place is free in ${freeIn} ms`)
  const held = await post('the second one', CARA)
  const item = await isHeld(held, 'first_contact_budget')
  const left = Date.parse(String(item.send_after)) - Date.now()
  assert.ok(left > HOUR - 120_000 && left <= HOUR, `it waits ${left} ms`)
  const known = await stage.deliveryOf(await post('known by now', BEN))
  assert.deepEqual([known.status, known.used_up_budgets], ['sent', undefined])
  await write(DORA, 'is anybody there?')
  await isSent(await post('an answer to the number without its ninth digit', DORA.replace('119', '11')))
  const usage = async () => {
    const { hour, day, waiting } = await safety()
    return { hour: { ...(hour as Json), free_at: null }, day, waiting }
  }
  const used = {
    hour: { used: 1, limit: 1, free_at: null },
    day: { used: 1, limit: 5, free_at: null },
    waiting: { first_contact_budget: 1, quiet_hours: 0, unanswered: 0 },
  }
  assert.deepEqual(await usage(), used)
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  await isHeld(held, 'first_contact_budget')
  assert.deepEqual(await usage(), used)
  await write(CARA, 'I write first')
  const last = await stage.deliveryOf(held)
  assert.deepEqual([last.status, last.used_up_budgets], ['sent', undefined])
})

test('who did not answer the last messages gets no more until an answer comes', async () => {
  await isSent(await post('one', EVA))
  await set({ pause_after_unanswered: 2 })
  await isSent(await post('two', EVA))
  const held = await post('three', EVA)
  assert.equal((await isHeld(held, 'unanswered')).send_after, null)
  await write(EVA, 'sorry, I was away')
  await isSent(held)
})

test('quiet hours hold what answers nobody until their end', async () => {
  await isSent(await post('by day', FAY))
  await write(ANA, 'hello at night')
  const hourOf = (at: number) => new Date(at).toISOString().slice(11, 16)
  const end = Date.now() + 2 * HOUR
  await set({ quiet_hours: { from: hourOf(Date.now() - HOUR), to: hourOf(end), time_zone: 'UTC' } })
  const held = await post('at night', FAY)
  const item = await isHeld(held, 'quiet_hours')
  const until = new Date(Math.floor(end / 60_000) * 60_000).toISOString()
  assert.equal(item.send_after, until)
  assert.equal((await safety()).quiet_until, until)
  await isSent(await post('hello Ana', ANA))
  await set({ quiet_hours: null })
  await isSent(held)
})

test('a request that does not use the queue is refused with the rule and its end', async () => {
  const refusal = async (phone: string) => {
    const { status, body } = await stage.world.gateway.ask(stage.instance, 'PUT', `/chats/${phone}/expiration`, { value: 86_400 })
    const { code, message, details } = body.error as Json
    assert.deepEqual([status, code], [409, 'held_by_send_safety'])
    const { waiting_reason, send_after } = details as Json
    assert.ok(String(message).includes(String(send_after ?? 'until the person answers')), String(message))
    return { waiting_reason, send_after }
  }
  await set({ first_contacts_per_hour: 1 })
  const budget = await refusal(GUS)
  assert.equal(budget.waiting_reason, 'first_contact_budget')
  const isOff = Date.parse(String(budget.send_after)) - Date.parse(String(((await safety()).hour as Json).free_at))
  assert.ok(Math.abs(isOff) < 1_000, `${isOff} ms beside the budget`)
  await set({ first_contacts_per_hour: null, pause_after_unanswered: 1 })
  assert.deepEqual(await refusal(FAY), { waiting_reason: 'unanswered', send_after: null })
  const hourOf = (at: number) => new Date(at).toISOString().slice(11, 16)
  const now = Date.now()
  await set({ pause_after_unanswered: null, quiet_hours: { from: hourOf(now - HOUR), to: hourOf(now + HOUR), time_zone: 'UTC' } })
  assert.deepEqual(await refusal(FAY), { waiting_reason: 'quiet_hours', send_after: (await safety()).quiet_until })
  assert.deepEqual(await stage.world.sandbox.inbox(GUS), [])
})

test('settings that mean nothing are refused', async () => {
  const refuse = async (settings: Json) => (await stage.world.gateway.ask(stage.instance, 'PUT', '/settings', settings)).status
  const hours = { from: '22:00', to: '08:00', time_zone: 'Europe/Berlin' }
  assert.equal(await refuse({ quiet_hours: { ...hours, time_zone: 'Europe/Atlantis' } }), 400)
  assert.equal(await refuse({ quiet_hours: { ...hours, time_zone: '+03:00' } }), 400)
  assert.equal(await refuse({ quiet_hours: { ...hours, to: '22:00' } }), 400)
  assert.equal(await refuse({ quiet_hours: { ...hours, from: '24:00' } }), 400)
  assert.equal(
    await refuse({
      first_contacts_warm_up: [
        { day: 1, per_day: 1 },
        { day: 1, per_day: 2 },
      ],
    }),
    400,
  )
  assert.equal(await refuse({ first_contacts_warm_up: [] }), 400)
})
