/**
 * The clock of one of two members is wrong by hours, and jumps. No member takes over instances, and no account is
 * disconnected.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createFakeClock, type FakeClock, noFaketime } from '../../harness/faketime.ts'
import type { Instance } from '../../harness/gateway.ts'
import { ask } from '../../harness/http.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'
import { CONTACTS, readInboxes } from '../traffic.ts'

const HOUR = 3_600_000
/** Inaccuracy in ms of the time in an answer, on a busy machine. */
const ABOUT = 60_000
/**
 * Time in ms after which a wrong decision would show: a member loses its lease after four seconds, and is removed after
 * at most six.
 */
const LONG = 8_000
const PHONES = ['5511999996001', '5511999996002', '5511999996003', '5511999996004']

describe('a member with a wrong clock', { skip: noPostgres || noFaketime, timeout: 300_000 }, () => {
  let dir: string
  let clock: FakeClock
  let world: ClusterWorld
  const instances: Instance[] = []

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-clocks-'))
    clock = await createFakeClock(join(dir, 'clock'), 1)
    world = await startClusterWorld(['a', 'b'], { settingsOf: { b: clock.env } })
    for (const contact of CONTACTS) await world.sandbox.createContact(contact)
    for (const [index, phone] of PHONES.entries()) {
      const gateway = await world.gatewayAt(world.members[index % 2]!)
      // The instances have no webhooks. Receivers would refuse those of a member with a wrong clock, because the time
      // of their signatures is wrong.
      instances.push(await gateway.connected(world.sandbox, phone, null))
    }
  })
  after(async () => {
    await world?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  /** Milliseconds by which the clock of the member is ahead. */
  async function aheadMs({ url }: Member): Promise<number> {
    const { headers } = await ask('GET', `${url}/health/live`)
    return Date.parse(headers.get('date')!) - Date.now()
  }

  /**
   * Resolves with the time of each account's last login, the member that has each instance, and the members that run.
   */
  async function facts() {
    const { phones } = await world.sandbox.get<{ phones: { phone: string; devices: { opened_at: number }[] }[] }>('/state')
    const nodes = await world.nodesAt(world.members[0]!)
    return {
      logins: phones.map(({ phone, devices }) => `${phone} ${devices.map(({ opened_at }) => opened_at)}`),
      homes: await world.sql('SELECT instance, writer FROM svc_home ORDER BY instance'),
      members: nodes.map(({ name, state }) => `${name} ${state}`).sort(),
    }
  }

  /**
   * Sends a text from each account and one to each account. Waits until all have arrived and those to the accounts are
   * confirmed.
   */
  async function exchangeTexts(label: string): Promise<void> {
    const sent: string[] = []
    for (const [index, instance] of instances.entries()) {
      sent.push((await world.gateway.sendText(instance, CONTACTS[index]!, `out ${label}`)).message_id)
      await world.sandbox.send(CONTACTS[index]!, PHONES[index]!, { text: `in ${label}` })
    }
    await until(
      async () => {
        const arrived = new Set([...(await readInboxes(world.sandbox)).values()].flat().map(({ id }) => id))
        return [sent.filter((id) => !arrived.has(id)).length, await world.sandbox.pending()]
      },
      ([lost, unconfirmed]) => lost === 0 && unconfirmed === 0,
      60_000,
    )
  }

  for (const hours of [1, -1, 30, 0])
    test(`keeps its instances and its place while it is ${hours} hours ahead`, async () => {
      const before = await facts()
      assert.deepEqual(before.members, ['a active', 'b active'])
      await clock.set(hours)
      await until(
        () => aheadMs(world.members[1]!),
        (ms) => Math.abs(ms - hours * HOUR) < ABOUT,
      )
      await exchangeTexts(`${hours} hours, at once`)
      await pause(LONG)
      await exchangeTexts(`${hours} hours, later`)
      assert.deepEqual(
        world.members.map((member) => member.isUp()),
        [true, true],
      )
      assert.deepEqual(await facts(), before)
      await world.connected(instances)
    })
})
