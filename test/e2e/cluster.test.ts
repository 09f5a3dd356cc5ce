/**
 * Runs two members of a cluster as separate processes behind a load balancer that knows nothing of instances. Both
 * members serve each instance, and share its rate limit. One member is killed while it still has to deliver a message
 * and a webhook. The other member must then deliver both.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CAPACITY, REFILL_PER_SECOND } from '../../src/http/rate-limit.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../faults/cluster-world.ts'
import type { Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { noPostgres } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const ANA = '5511988887777'
const PHONES = ['5511999997001', '5511999997002', '5511999997003']
/** Time limit of a takeover in ms. A member that was killed is removed after two to three seconds. */
const TAKEN_OVER = 40_000
/** Maximum number of requests that the limit's refill allows between the refusal and the end of the measurement. */
const CLEARLY_FEWER = 20

describe('two members of a cluster', { skip: noPostgres, timeout: 200_000 }, () => {
  let world: ClusterWorld
  const instances: Instance[] = []

  before(async () => {
    world = await startClusterWorld(['a', 'b'])
    await world.sandbox.createContact(ANA)
    for (const phone of PHONES) instances.push(await world.gateway.connected(world.sandbox, phone, world.receiver))
  })
  after(async () => {
    await world?.stop()
    assert.deepEqual(world.receiver.problems, [])
  })

  const delivered = (svcId: unknown) =>
    world.receiver.waitFor(
      'its delivery',
      ({ type, svc_id, status }) => type === 'delivery' && svc_id === svcId && status === 'sent',
      TAKEN_OVER,
    )

  test('each member answers and sends for every instance', async () => {
    for (const member of world.members)
      for (const instance of instances) {
        assert.equal((await world.askAt(member, instance, 'GET', '/status')).body.status, 'connected')
        const { body } = await world.askAt(member, instance, 'POST', '/send-text', { phone: ANA, message: member.name })
        await delivered(body.svc_id)
      }
    assert.equal((await world.sandbox.inbox(ANA)).length, world.members.length * instances.length)
  })

  test('the members refuse the requests for an instance together, so one that got few of them refuses more, too', async () => {
    const [one, other] = world.members
    const burst = async (member: Member, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => world.askAt(member, instances[2]!, 'GET', '/status')))).map(
        ({ status }) => status,
      )
    await until(
      () => burst(one!, 150),
      (found) => found.includes(429),
    )
    const answers: number[] = []
    const begun = performance.now()
    await until(
      async () => {
        // The requests at the first member go on, because the limit is refilled while the members tell each other their
        // numbers.
        const [more] = await Promise.all([burst(other!, 30), burst(one!, 100)])
        answers.push(...more)
        return answers
      },
      (found) => found.includes(429),
    )
    // Number of requests that a member alone would have answered in this time.
    const alone = CAPACITY + (REFILL_PER_SECOND * (performance.now() - begun)) / 1_000
    assert.ok(answers.filter((status) => status === 200).length < alone - CLEARLY_FEWER, answers.join())
  })

  test('an instance that one member has is deleted through the other, with its records, its key and its home', async () => {
    const [near, far] = world.members
    const made = await must<Instance>('POST', `${near!.url}/account/instances`, { name: 'short' }, world.gateway.account)
    const path = `${far!.url}/account/instances/${made.id}`
    await until(
      () => world.askAt(far!, made, 'GET', '/status'),
      ({ status }) => status === 200,
    )
    await must('DELETE', path, undefined, world.gateway.account)
    for (const table of ['svc_home WHERE instance::text', 'svc_state WHERE scope::text', 'svc_key WHERE name'])
      assert.deepEqual(await world.sql(`SELECT * FROM ${table} = $1`, [made.id]), [], table)
  })

  test('a member is killed: the other one has its instances, their queue and their waiting webhooks', async () => {
    const [instance] = instances
    const killed = (await world.homeOf(instance!))!
    const other = world.members.find((member) => member !== killed)!
    world.receiver.reply((_, response) => response.writeHead(503).end())
    const { id } = await world.sandbox.send(ANA, PHONES[0]!, { text: 'before the kill' })
    await world.receiver.waitFor('the first attempt', ({ message_id }) => message_id === id)
    const { body } = await world.askAt(killed, instance!, 'POST', '/send-text', { phone: ANA, message: 'owed', delay_message: 5 })
    await killed.running().kill()
    const before = world.receiver.received.length
    world.receiver.reply(null)
    await world.connected(instances, TAKEN_OVER, [other])
    await delivered(body.svc_id)
    await until(
      async () => world.receiver.received.slice(before).filter(({ event }) => event.message_id === id).length,
      (attempts) => attempts > 0,
      TAKEN_OVER,
    )
    const owed = (await world.sandbox.inbox(ANA)).filter(({ text }) => text === 'owed')
    assert.equal(owed.length, 1)
    assert.deepEqual(await world.homes(), { [other.name]: instances.length })
  })
})
