/**
 * Measures how long accounts are not connected when members of a cluster of three are killed, stopped, started and
 * drained. No request may fail, and nothing may be lost. SVC_TEST_INSTANCES sets the number of instances that a member
 * has at first.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../../harness/gateway.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { untilReady } from '../../harness/until-ready.ts'
import { type Load, underLoad } from '../cluster-load.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'
import { compare } from '../ledger.ts'
import { CONTACTS, type Owed, settleOutgoing } from '../traffic.ts'

const EACH = Number(process.env.SVC_TEST_INSTANCES ?? 100)
/** Interval in ms between two queries of a test. */
const LOOK = 250
/** Number of instances that are paired at the same time. */
const AT_ONCE = 4
/** Longest time in ms for which an account may be disconnected, on a busy machine. */
const MOST_GONE = 60_000
/** Time limit in ms for a balance, which begins a minute after the last change of members. */
const BALANCED_WITHIN = 300_000
/** Time limit in seconds for the stop of a member. A drain uses at most 60 % of it, for at most 25 moves a second. */
const SHUTDOWN_SECONDS = '40'

/** Times in epoch ms at which the session of an account was opened and closed last. */
interface SessionTimes {
  connected: boolean
  opened_at: number | null
  closed_at: number | null
}

describe('moves of instances in a cluster of three', { skip: noPostgres, timeout: 1_800_000 }, () => {
  let world: ClusterWorld
  const instances: Instance[] = []
  const owed: Owed[] = []
  const received: string[] = []
  const phoneOf = (index: number) => `55119997${10_000 + index}`
  const [a, b, c] = [0, 1, 2].map((index) => () => world.members[index]!) as [() => Member, () => Member, () => Member]

  before(async () => {
    const settings = { SVC_SHUTDOWN_SECONDS: SHUTDOWN_SECONDS, SVC_INSTANCE_SLOTS: String(5 * EACH) }
    world = await startClusterWorld(['a', 'b', 'c'], { settings })
    for (const contact of CONTACTS) await world.sandbox.createContact(contact)
    for (const member of world.members) await create(member, EACH)
    process.stdout.write(`# homes: ${JSON.stringify(await world.homes())}\n`)
  })
  after(async () => {
    await world?.stop()
    assert.deepEqual(world.receiver.problems, [])
  })

  /** Creates instances. This member has them, because it gets the requests. */
  async function create(member: Member, count: number): Promise<void> {
    const gateway = await world.gatewayAt(member)
    let left = count
    const some = async () => {
      while (left-- > 0) {
        const index = instances.length
        instances.length++
        instances[index] = await gateway.connected(world.sandbox, phoneOf(index), world.receiver)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, some))
  }

  /** Adds a pause before each query, because the answers cost the network and PostgreSQL processor time. */
  const seldom =
    <T>(ask: () => Promise<T>) =>
    async () => {
      await pause(LOOK)
      return ask()
    }

  async function sessions(): Promise<SessionTimes[]> {
    const { phones } = await world.sandbox.get<{ phones: { devices: SessionTimes[] }[] }>('/state')
    return phones.flatMap(({ devices }) => devices)
  }

  const allConnected = (ms: number) => until(seldom(sessions), (found) => found.every(({ connected }) => connected), ms)

  function printed(what: string, times: number[], more: object = {}): void {
    const sorted = [...times].sort((one, other) => one - other)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    const facts = { accounts: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), last: sorted.at(-1), ...more }
    process.stdout.write(`# ${what}, ms: ${JSON.stringify(facts)}\n`)
    assert.ok(times.length > 0, what)
    assert.ok(sorted.at(-1)! < MOST_GONE, what)
  }

  /**
   * Returns, for each session that began after `since`, the milliseconds from the end of the former session to its
   * begin.
   */
  const gaps = (found: readonly SessionTimes[], since: number) =>
    found.flatMap(({ opened_at, closed_at }) => (opened_at! > since ? [opened_at! - closed_at!] : []))

  async function writeToAll(label: string): Promise<void> {
    for (const index of instances.keys()) {
      const from = CONTACTS[index % CONTACTS.length]!
      received.push((await world.sandbox.send(from, phoneOf(index), { text: `${label} in ${index}` })).id)
    }
  }

  async function noneFailed(what: string, { requests, repeated, failed, longestMs, owed: more }: Load): Promise<void> {
    owed.push(...more)
    process.stdout.write(`# ${what}: ${JSON.stringify({ requests, repeated, longest_ms: longestMs, failed: failed.length })}\n`)
    assert.deepEqual(failed, [], what)
    await nothingLost()
  }

  async function nothingLost(): Promise<void> {
    await until(
      seldom(async () => [
        compare(world.receiver, 'received', received).lost.length,
        (await settleOutgoing(world, owed)).lost.length,
      ]),
      (lost) => lost.every((count) => count === 0),
      120_000,
    )
    assert.deepEqual(compare(world.receiver, 'received', received).torn, [])
  }

  test('a member is killed, and its accounts are connected elsewhere', async () => {
    const before = (await world.homes()).c
    const killedAt = Date.now()
    await c().running().kill()
    await writeToAll('killed')
    const found = await until(
      seldom(sessions),
      (all) => all.filter(({ opened_at }) => opened_at! > killedAt).length >= before! && all.every(({ connected }) => connected),
      MOST_GONE,
    )
    const since = found.flatMap(({ opened_at }) => (opened_at! > killedAt ? [opened_at! - killedAt] : []))
    assert.equal(since.length, before, 'no other account was disconnected')
    printed('takeover, from the kill to the login elsewhere', since)
    await nothingLost()
  })

  test('a member that starts gets its share, and each move is short', async () => {
    const begun = Date.now()
    await c().start()
    const share = Math.floor(EACH * 0.9) - 2
    await until(seldom(world.homes), ({ c: count = 0 }) => count >= share, BALANCED_WITHIN)
    const after = Date.now()
    await writeToAll('balanced')
    printed('balance, from the end of a session to the next one', gaps(await allConnected(MOST_GONE), begun), {
      balanced: after - begun,
    })
    await nothingLost()
  })

  test('all members are restarted one after the other, and no request fails', async () => {
    const load = await underLoad(world, instances, 'rolling', async () => {
      for (const member of world.members) {
        const begun = Date.now()
        await member.running().stop()
        const times = gaps(await allConnected(MOST_GONE), begun)
        printed(`restart of ${member.name}, from the end of a session to the next one`, times, { homes: await world.homes() })
        await member.start()
        await untilReady(member.url, 120_000)
      }
    })
    await noneFailed('requests during the rolling restart', load)
  })

  test(`one of two members is drained of ${2 * EACH} instances, and no request fails`, async () => {
    await c().running().stop()
    await create(a(), Math.max(0, 2 * EACH - ((await world.homes()).a ?? 0)))
    await allConnected(MOST_GONE)
    const count = (await world.homes()).a!
    const begun = Date.now()
    let drained = 0
    const load = await underLoad(world, instances, 'drained', async () => {
      await a().running().stop()
      drained = Date.now() - begun
      await allConnected(MOST_GONE)
    })
    const times = gaps(await sessions(), begun)
    assert.equal(times.length, count, 'each account logged in once')
    printed('drain, from the end of a session to the next one', times, { stopped: drained })
    await noneFailed('requests during the drain', load)
    await world.connected(instances, MOST_GONE, [b()])
  })
})
