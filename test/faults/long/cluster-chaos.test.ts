/**
 * Texts in both directions through a load balancer while random faults happen to the members of a cluster and to their
 * database. The seed is printed, and SVC_TEST_SEED repeats it; SVC_TEST_FAULTS and SVC_TEST_TEXTS set the numbers.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../../harness/gateway.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { type ClusterFaults, createClusterFaults } from '../cluster-faults.ts'
import { type ClusterWorld, startClusterWorld } from '../cluster-world.ts'
import { sendUntilAcknowledged } from '../ground.ts'
import { auditHomes, type HomeAudit } from '../home-audit.ts'
import { compare } from '../ledger.ts'
import { createSeeded } from '../seeded.ts'
import { assertIncomingOrder, assertOutgoingOrder, CONTACTS, type Owed, settleOutgoing } from '../traffic.ts'

const FAULTS = Number(process.env.SVC_TEST_FAULTS ?? 13)
const TEXTS = Number(process.env.SVC_TEST_TEXTS ?? 400)
const INSTANCES = Number(process.env.SVC_TEST_INSTANCES ?? 8)
/** Milliseconds between two texts of an instance in one direction. */
const EVERY = 400
/** Milliseconds for everything to arrive after the last fault. */
const SETTLE = 120_000
/**
 * Connections for four members and the test, enough log for a new standby, and a standby that connects again soon,
 * because commits wait for it.
 */
const OF_POSTGRES = { max_connections: '80', wal_keep_size: '128MB', wal_retrieve_retry_interval: '500ms' }

describe('chaos in a cluster of three members', { skip: noPostgres, timeout: 1_800_000 }, () => {
  const seeded = createSeeded()
  let world: ClusterWorld
  let audit: HomeAudit
  let faults: ClusterFaults
  const instances: Instance[] = []
  const phoneOf = (index: number) => `55119998${10_000 + index}`

  before(async () => {
    world = await startClusterWorld(['a', 'b', 'c'], { later: ['d'], hasCables: true, ofPostgres: OF_POSTGRES })
    audit = await auditHomes(world.sql)
    faults = await createClusterFaults(world, seeded, OF_POSTGRES)
    for (const contact of CONTACTS) await world.sandbox.createContact(contact)
    for (let index = 0; index < INSTANCES; index++)
      instances.push(await world.gateway.connected(world.sandbox, phoneOf(index), world.receiver))
  })
  after(async () => {
    await world?.stop()
    await faults?.stop()
  })

  /** Yields each kind of fault once in a random order, and then random kinds. */
  function* kinds(): Generator<string> {
    const all = Object.keys(faults.kinds)
    yield* seeded.shuffled(all)
    for (;;) yield seeded.pick(all)
  }

  async function commitFaults(): Promise<void> {
    const kind = kinds()
    for (let number = 1; number <= FAULTS; number++) {
      await pause(1_000 + seeded.below(4_000))
      const name = kind.next().value as string
      const member = seeded.pick(world.members)
      process.stdout.write(`# fault ${number}: ${name} ${member.name}\n`)
      await faults.kinds[name]!(member)
      await faults.mend()
    }
  }

  test(`${FAULTS} faults lose nothing, double nothing, keep the order, and stop no account`, async (t) => {
    process.stdout.write(`# seed ${seeded.seed}\n`)
    let isOver = false
    const received: string[] = []
    const owed: Owed[] = []
    const each = Math.ceil(TEXTS / INSTANCES)
    const send = async (index: number) => {
      const to = CONTACTS[index % CONTACTS.length]!
      for (let number = 0; number < each || !isOver; number++) {
        const message = `out ${index} ${String(number).padStart(5, '0')}`
        const { svc_id, message_id } = await sendUntilAcknowledged(world.gateway, instances[index]!, to, message)
        owed.push({ svcId: svc_id, messageId: message_id, to, message })
        await pause(EVERY)
      }
    }
    const receive = async (index: number) => {
      const from = CONTACTS[index % CONTACTS.length]!
      for (let number = 0; number < each || !isOver; number++) {
        const text = `in ${index} ${String(number).padStart(5, '0')}`
        received.push((await world.sandbox.send(from, phoneOf(index), { text })).id)
        await pause(EVERY)
      }
    }
    const sending = Promise.all(instances.flatMap((_, index) => [send(index), receive(index)]))
    const committing = commitFaults().finally(() => {
      isOver = true
    })
    await Promise.all([sending, committing])
    await world.connected(instances, SETTLE)
    await until(
      async () => compare(world.receiver, 'received', received).lost.length + (await settleOutgoing(world, owed)).lost.length,
      (lost) => lost === 0,
      SETTLE,
    )
    const inn = compare(world.receiver, 'received', received)
    const out = await settleOutgoing(world, owed)
    t.diagnostic(`in ${inn.sent}, repeated posts ${inn.duplicates}; out ${out.sent}, repeated posts ${out.duplicates}`)
    assert.deepEqual(inn.torn, [])
    assertIncomingOrder(world)
    await assertOutgoingOrder(
      world,
      instances.map((_, index) => phoneOf(index)),
    )
    assert.deepEqual(
      world.receiver.events('instance_status').filter(({ status }) => status === 'stopped'),
      [],
    )
    assert.deepEqual(await audit.violations(), [])
    assert.deepEqual(world.receiver.problems, [])
    process.stdout.write(`# homes: ${JSON.stringify(await world.homes())}\n`)
  })
})
