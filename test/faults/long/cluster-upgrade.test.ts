/**
 * Upgrades the members of a cluster one after the other, from the former release of the service to this checkout, and
 * then back, under load. Members of both releases work together in the meantime. No request fails, and nothing is lost.
 *
 * If the two releases have different formats of the store, a new member refuses to start beside an older one, and this
 * test fails. Then `docs/cluster.md` must say so, and the test must stop all members before the upgrade.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { START } from '../../harness/checkout.ts'
import { buildFormerRelease, type FormerRelease, noFormerRelease } from '../../harness/former-release.ts'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { WITHOUT_FFMPEG } from '../../harness/place.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { untilReady } from '../../harness/until-ready.ts'
import { emptyLoad, type Load, underLoad } from '../cluster-load.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'
import { converse } from '../conversations.ts'
import { compare } from '../ledger.ts'
import { assertIncomingOrder, assertOutgoingOrder, CONTACTS, type Owed, settleOutgoing } from '../traffic.ts'

/**
 * The number of instances makes `underLoad` wait longer between two texts of one chat than a repeated request takes, so
 * the texts must arrive in order.
 */
const INSTANCES = Number(process.env.SVC_TEST_INSTANCES ?? 15)
/** Time limit in ms of the wait for each account to be connected again, on a busy machine. */
const CONNECTED_WITHIN = 60_000

describe('a cluster whose members run two releases', { skip: noPostgres || noFormerRelease, timeout: 1_800_000 }, () => {
  let former: FormerRelease
  let world: ClusterWorld
  const instances: Instance[] = []
  const received: string[] = []
  const owed: Owed[] = []
  const phoneOf = (index: number) => `55119996${10_000 + index}`

  before(async () => {
    former = await buildFormerRelease()
    const settings = { ...WITHOUT_FFMPEG, SVC_INSTANCE_SLOTS: String(INSTANCES + 5) }
    world = await startClusterWorld(['a', 'b', 'c'], { settings, program: former.program })
    for (const contact of CONTACTS) await world.sandbox.createContact(contact)
    for (let index = 0; index < INSTANCES; index++)
      instances.push(await world.gateway.connected(world.sandbox, phoneOf(index), world.receiver))
    process.stdout.write(`# homes: ${JSON.stringify(await world.homes())}\n`)
  })
  after(async () => {
    await world?.stop()
    await former?.remove()
    assert.deepEqual(world.receiver.problems, [])
  })

  /** Checks that each member carries out commands for each instance, and knows what the others have just recorded. */
  async function workTogether(label: string): Promise<void> {
    await world.connected(instances, CONNECTED_WITHIN)
    for (const member of world.members) {
      const to = CONTACTS[0]
      for (const [index, instance] of instances.entries()) {
        const message = `${label}, ${member.name} sends for ${index}`
        const { status, body } = await world.askAt(member, instance, 'POST', '/send-text', { phone: to, message })
        assert.equal(status, 200, `${message}: ${JSON.stringify(body)}`)
        owed.push({ svcId: String(body.svc_id), messageId: String(body.message_id), to, message })
      }
      assert.deepEqual(
        (await world.nodesAt(member))
          .filter(({ state }) => state === 'active')
          .map(({ name }) => name)
          .sort(),
        ['a', 'b', 'c'],
      )
    }
    const [first, second, third] = world.members as [Member, Member, Member]
    for (const [one, two, three] of [
      [first, second, third],
      [third, second, first],
    ] as const) {
      const { account } = world.gateway
      const made = await must<Instance>('POST', `${one.url}/account/instances`, { name: 'short' }, account)
      const at = ({ url }: Member) => `${url}/account/instances/${made.id}`
      await must('PUT', at(three), { name: 'longer' }, account)
      await until(
        () => must<{ name: string }>('GET', at(one), undefined, account),
        ({ name }) => name === 'longer',
        10_000,
      )
      await must('DELETE', at(two), undefined, account)
      await until(
        () => world.sql('SELECT FROM svc_home WHERE instance = $1', [made.id]),
        ({ length }) => length === 0,
        10_000,
      )
    }
  }

  /** Replaces the program of each member in turn, as an operator who follows the docs does. */
  async function replaceAll(label: string, program: readonly string[]): Promise<void> {
    const [a, b, c] = world.members as [Member, Member, Member]
    // `via` is the member that is asked to have `member` leave. It already runs the other release.
    for (const [member, via] of [
      [a, undefined],
      [b, a],
      [c, undefined],
    ] as const) {
      const begun = Date.now()
      await (via === undefined ? member.running().stop() : world.leave(member, via))
      const ended = Date.now() - begun
      member.setProgram(program)
      await member.start()
      await untilReady(member.url, 120_000)
      await workTogether(`${label} ${member.name}`)
      const facts = { ended, up: Date.now() - begun, homes: await world.homes() }
      process.stdout.write(`# ${label}, ${member.name} is replaced, ms: ${JSON.stringify(facts)}\n`)
    }
  }

  /** Carries out the work under load: requests through the balancer, and texts in both directions. */
  async function underAllLoad(label: string, work: () => Promise<unknown>): Promise<Load> {
    const load = emptyLoad()
    let isOver = false
    const talking = converse(world, { instances, phoneOf, label, load, received, isOver: () => isOver })
    await underLoad(world, instances, label, work, load).finally(() => {
      isOver = true
    })
    await talking
    return load
  }

  async function nothingLost(): Promise<object> {
    const left = async () => ({
      in: compare(world.receiver, 'received', received).lost.length,
      out: (await settleOutgoing(world, owed)).lost.length,
    })
    await until(left, (lost) => lost.in === 0 && lost.out === 0, 120_000)
    const incoming = compare(world.receiver, 'received', received)
    assert.deepEqual(incoming.torn, [])
    assertIncomingOrder(world)
    await assertOutgoingOrder(
      world,
      instances.map((_, index) => phoneOf(index)),
    )
    const { duplicates, sent } = await settleOutgoing(world, owed)
    return { in: incoming.sent, in_repeated: incoming.duplicates, out: sent, out_repeated: duplicates }
  }

  async function noneFailed(label: string, { requests, repeated, failed, longestMs, owed: more }: Load): Promise<void> {
    owed.push(...more)
    process.stdout.write(`# ${label}: ${JSON.stringify({ requests, repeated, longest_ms: longestMs, failed: failed.length })}\n`)
    assert.deepEqual(failed, [])
    process.stdout.write(`# ${label}, texts so far: ${JSON.stringify(await nothingLost())}\n`)
    const stopped = world.receiver.events('instance_status').filter(({ status }) => status === 'stopped')
    assert.deepEqual(stopped, [], 'no account is stopped')
    await world.connected(instances, CONNECTED_WITHIN)
  }

  test('the members are upgraded one after the other: no request fails, and nothing is lost', async () => {
    const load = await underAllLoad('upgrade', () => replaceAll('upgrade', START))
    await noneFailed('upgrade', load)
  })

  test('they are taken back to the former release one after the other, in the same way', async () => {
    const load = await underAllLoad('rollback', () => replaceAll('rollback', former.program))
    await noneFailed('rollback', load)
  })
})
