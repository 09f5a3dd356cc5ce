/**
 * Three members of one cluster share the instances. Every member answers requests for all instances. One member is
 * killed, one is paused (SIGSTOP), one is stopped, and nothing is lost.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../../harness/gateway.ts'
import { ask, must } from '../../harness/http.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'
import { sendUntilAcknowledged } from '../ground.ts'
import { compare } from '../ledger.ts'
import { assertIncomingOrder, assertOutgoingOrder, CONTACTS, type Owed, settleOutgoing } from '../traffic.ts'

const INSTANCES = Number(process.env.SVC_TEST_INSTANCES ?? 9)

describe('three members of a cluster', { skip: noPostgres, timeout: 600_000 }, () => {
  let world: ClusterWorld
  const instances: Instance[] = []
  const phoneOf = (index: number) => `55119999${10_000 + index}`
  const received: string[] = []
  const owed: Owed[] = []

  before(async () => {
    world = await startClusterWorld(['a', 'b', 'c'])
    for (const contact of CONTACTS) await world.sandbox.createContact(contact)
    for (let index = 0; index < INSTANCES; index++)
      instances.push(await world.gateway.connected(world.sandbox, phoneOf(index), world.receiver))
  })
  after(async () => {
    await world?.stop()
    assert.deepEqual(world.receiver.problems, [])
  })

  const [a, b, c] = [0, 1, 2].map((index) => () => world.members[index]!) as [() => Member, () => Member, () => Member]

  /** Sends at least three texts to and from each instance, and goes on until `isOver` is true. */
  async function texts(label: string, isOver: () => boolean): Promise<void> {
    const incoming = async (index: number) => {
      for (let number = 0; !isOver() || number < 3; number++) {
        const from = CONTACTS[index % CONTACTS.length]!
        const text = `${label} in ${index} ${String(number).padStart(4, '0')}`
        received.push((await world.sandbox.send(from, phoneOf(index), { text })).id)
        await pause(300)
      }
    }
    const outgoing = async (index: number) => {
      for (let number = 0; !isOver() || number < 3; number++) {
        const to = CONTACTS[index % CONTACTS.length]!
        const message = `${label} out ${index} ${String(number).padStart(4, '0')}`
        const { svc_id, message_id } = await sendUntilAcknowledged(world.gateway, instances[index]!, to, message)
        owed.push({ svcId: svc_id, messageId: message_id, to, message })
        await pause(300)
      }
    }
    await Promise.all(instances.flatMap((_, index) => [incoming(index), outgoing(index)]))
  }

  async function beside<T>(label: string, work: () => Promise<T>): Promise<T> {
    let isOver = false
    const sending = texts(label, () => isOver)
    const result = await work().finally(() => {
      isOver = true
    })
    await sending
    return result
  }

  /**
   * Waits until these members have all instances. One of them may have none, because a member that has just started
   * gets its share only after some time.
   */
  async function allAt(members: readonly Member[]): Promise<void> {
    await until(
      () => world.homes(),
      (homes) => members.reduce((sum, { name }) => sum + (homes[name] ?? 0), 0) === INSTANCES,
      30_000,
    )
  }

  async function allArrived(): Promise<void> {
    await until(
      async () => ({
        in: compare(world.receiver, 'received', received).lost.length,
        out: (await settleOutgoing(world, owed)).lost.length,
      }),
      (lost) => lost.in === 0 && lost.out === 0,
      60_000,
    )
    assert.deepEqual(compare(world.receiver, 'received', received).torn, [])
    assertIncomingOrder(world)
    await assertOutgoingOrder(
      world,
      instances.map((_, index) => phoneOf(index)),
    )
  }

  test('every member answers for every instance, wherever it is', async () => {
    for (const member of world.members)
      for (const instance of instances) {
        const { status, body } = await world.askAt(member, instance, 'GET', '/status')
        assert.deepEqual([status, body.status], [200, 'connected'])
        const message = `${member.name} 1`
        const sent = await world.askAt(member, instance, 'POST', '/send-text', { phone: CONTACTS[0], message })
        assert.equal(sent.status, 200)
        owed.push({
          svcId: String(sent.body.svc_id),
          messageId: String(sent.body.message_id),
          to: CONTACTS[0],
          message,
        })
      }
    await allArrived()
    process.stdout.write(`# homes: ${JSON.stringify(await world.homes())}\n`)
  })

  test('a key that is revoked at one member is refused at all of them, and a new one is known everywhere', async () => {
    const { value, key } = await must<{ value: string; key: { id: string } }>(
      'POST',
      `${a().url}/admin/api-keys`,
      { name: 'revoked soon', scopes: ['instances:read'] },
      world.gateway.admin,
    ).then((body) => ({ value: body.value, key: body.key ?? (body as unknown as { id: string }) }))
    const statusesNow = () =>
      Promise.all(
        world.members.map(({ url }) =>
          ask('GET', `${url}/account/instances`, undefined, { authorization: `Bearer ${value}` }).then(({ status }) => status),
        ),
      )
    assert.deepEqual(await statusesNow(), [200, 200, 200])
    await must('DELETE', `${b().url}/admin/api-keys/${key.id}`, undefined, world.gateway.admin)
    await until(statusesNow, (statuses) => statuses.every((status) => status === 401), 4_000)
  })

  test('an instance is created at one member, configured at another one, and deleted at a third', async () => {
    const made = await must<Instance>('POST', `${a().url}/account/instances`, { name: 'short' }, world.gateway.account)
    const at = ({ url }: Member) => `${url}/account/instances/${made.id}`
    await must('PUT', at(b()), { name: 'longer' }, world.gateway.account)
    const named = () => must<{ name: string }>('GET', at(c()), undefined, world.gateway.account)
    await until(named, ({ name }) => name === 'longer', 3_000)
    await must('DELETE', at(c()), undefined, world.gateway.account)
    await until(
      () => ask('GET', at(a()), undefined, world.gateway.account),
      ({ status }) => status === 404,
      3_000,
    )
    for (const table of ['svc_home WHERE instance', 'svc_state WHERE scope', 'svc_key WHERE name'])
      assert.deepEqual(await world.sql(`SELECT * FROM ${table} = $1`, [made.id]), [], table)
  })

  test('a member is killed: its instances are connected at the others, and nothing is lost', async () => {
    const begun = performance.now()
    const others = [a(), c()]
    await beside('kill', async () => {
      await b().running().kill()
      await until(
        () => world.homes(),
        (homes) => (homes.a ?? 0) + (homes.c ?? 0) === INSTANCES,
        30_000,
      )
      process.stdout.write(`# homes after ${Math.round(performance.now() - begun)} ms\n`)
      await world.connected(instances, 30_000, others)
      process.stdout.write(`# connected after ${Math.round(performance.now() - begun)} ms\n`)
    })
    await allArrived()
  })

  test('it starts again and gets its share back, while texts flow', async () => {
    await beside('join', async () => {
      await b().start()
      await until(
        () => world.homes(),
        (homes) => (homes.b ?? 0) >= Math.floor(INSTANCES / 3) - 2 && (homes.b ?? 0) > 0,
        120_000,
      )
      await world.connected(instances)
    })
    process.stdout.write(`# homes: ${JSON.stringify(await world.homes())}\n`)
    await allArrived()
  })

  test('a member stands still for ten seconds: its instances go on elsewhere, and it ends when it goes on', async () => {
    await beside('still', async () => {
      const running = c().running()
      running.child.kill('SIGSTOP')
      await until(
        () => world.homes(),
        (homes) => (homes.a ?? 0) + (homes.b ?? 0) === INSTANCES,
        30_000,
      )
      await world.connected(instances, 30_000, [a(), b()])
      await pause(3_000)
      running.child.kill('SIGCONT')
      await running.ended
    })
    await allArrived()
    await c().start()
  })

  test('a member is stopped: no request fails at the balancer, unless it is told to come again', async () => {
    await beside('stop', async () => {
      await a().running().stop()
      await allAt([b(), c()])
      await world.connected(instances, 30_000, [b(), c()])
    })
    await allArrived()
    await a().start()
    await world.connected(instances)
  })

  test('an administrator has a member leave, through another member', async () => {
    await beside('leave', async () => {
      await world.leave(b(), a())
      await world.connected(instances, 30_000, [a(), c()])
    })
    await allArrived()
    await allAt([a(), c()])

    // The last two members are asked to leave at the same moment, each by a direct request. Only one leaves, and the
    // other gets its instances.
    const last = [a(), c()]
    // A member that has not decided in time, because the machine is busy, is asked again.
    const leave = (each: Member): Promise<void> =>
      world.leave(each, each).catch((error) => (/not decided in time/.test(String(error)) ? leave(each) : Promise.reject(error)))
    const outcomes = await Promise.allSettled(last.map(leave))
    const [stays, ...others] = last.filter((_, index) => outcomes[index]!.status === 'rejected')
    assert.ok(stays !== undefined && others.length === 0, JSON.stringify(outcomes))
    await world.connected(instances, 30_000, [stays])

    // No member is left that could take the instances of the last one. They are released, so a later start does not
    // treat them as instances of a failed member.
    await stays.running().stop()
    assert.deepEqual(await world.sql('SELECT instance FROM svc_home WHERE writer IS NOT NULL'), [])
  })
})
