/**
 * Kills the service at each step of a send with budgets and quiet hours. No budget may be exceeded, and no message lost
 * or sent under two ids. `test/unit/queue/send-safety-week.test.ts` tests whole weeks with simulated clocks.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Step } from '../../../src/domain/steps.ts'
import { type Ground, sendUntilAcknowledged, startGround, until } from '../ground.ts'
import { compare } from '../ledger.ts'
import { PHONE } from '../traffic.ts'

const STEPS: readonly Step[] = [
  'safety:held',
  'queue:before-send',
  'safety:counted',
  'queue:after-send',
  'safety:told',
  'queue:settled',
]
const personOf = (number: number) => `55119888900${String(number).padStart(2, '0')}`

async function dies({ service }: Ground) {
  const { signal } = await service.ended
  assert.equal(signal, 'SIGKILL')
}

test('a kill at any step of a send keeps the budgets and the messages', { timeout: 900_000 }, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    const people = Array.from({ length: STEPS.length + 2 }, (_, number) => personOf(number))
    for (const phone of people) await sandbox.createContact(phone)
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    const set = (settings: Record<string, unknown>) => gateway.must(instance, 'PUT', '/settings', settings)
    const usedNow = async () => ((await gateway.must(instance, 'GET', '/send-safety')).hour as { used: number }).used
    const queue = async () =>
      (await gateway.must(instance, 'GET', '/queue')).data as { message_id: string; waiting_reason: string }[]
    const ids: string[] = []
    const put = async (number: number) => {
      const { message_id } = await sendUntilAcknowledged(gateway, instance, people[number]!, `to ${number}`)
      ids.push(message_id)
    }
    /**
     * Starts the service again. If a step is given, the service dies at it, which may happen before the instance is
     * connected.
     */
    async function restart(step?: Step) {
      await ground.service.kill()
      await ground.start(step && { SVC_TEST_KILL_AT: step })
      const connected = gateway.waitForStatus(instance, 'connected', 40_000)
      await (step === undefined ? connected : connected.catch(() => {}))
    }
    async function reached(): Promise<string[]> {
      const items = await Promise.all(people.map((phone) => sandbox.inbox(phone)))
      return items.flatMap((each) => each.map(({ id }) => id))
    }
    const isHeld = async (reason: string) => (await queue()).some(({ waiting_reason }) => waiting_reason === reason)

    await set({ delay_message_min_ms: 0, delay_message_max_ms: 0, first_contacts_warm_up: [{ day: 0, per_day: 0 }] })
    for (const number of [0, 1]) await put(number)
    for (const [round, step] of STEPS.entries()) {
      await until('the message waits for the budget', () => isHeld('first_contact_budget'))
      await restart(step)
      // This request raises the budget by one, while two messages wait. It fails if the service dies before the answer,
      // so its failure is ignored.
      await set({ first_contacts_warm_up: null, first_contacts_per_hour: round + 1 }).catch(() => {})
      await dies(ground)
      await restart()
      await set({ first_contacts_warm_up: null, first_contacts_per_hour: round + 1 })
      await until(`round ${round}: the place is used`, async () => new Set(await reached()).size === round + 1)
      await until('its delivery', () => compare(receiver, 'delivery', ids).unique === round + 1)
      assert.equal(await usedNow(), round + 1, `the budget after ${step}`)
      await put(round + 2)
    }

    const inAnHour = new Date(Date.now() + 3_600_000).toISOString().slice(11, 16)
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(11, 16)
    await set({ first_contacts_per_hour: 99, quiet_hours: { from: anHourAgo, to: inAnHour, time_zone: 'UTC' } })
    const before = new Set(await reached()).size
    await restart('safety:held')
    await dies(ground)
    await restart()
    await until('the night', () => isHeld('quiet_hours'))
    assert.equal(new Set(await reached()).size, before, 'nothing leaves at night')
    await set({ quiet_hours: null })
    await until('all deliveries', () => compare(receiver, 'delivery', ids).lost.length === 0)

    assert.deepEqual(new Set(await reached()), new Set(ids))
    const { torn, lost } = compare(receiver, 'delivery', ids)
    assert.deepEqual([torn, lost], [[], []])
    const told = new Map(
      receiver
        .events('delivery')
        .map((event) => [event.event_id, (event.used_up_budgets ?? []) as { period: string; limit: number }[]]),
    )
    const limits = [...told.values()].flat().map(({ period, limit }) => `${period} ${limit}`)
    assert.deepEqual(limits.toSorted(), STEPS.map((_, round) => `hour ${round + 1}`).toSorted(), 'each budget is told once')
  } finally {
    await ground.stop()
  }
})
