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
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'
import { sendUntilAcknowledged } from '../ground.ts'
import { auditHomes, type HomeAudit } from '../home-audit.ts'
import { compare } from '../ledger.ts'
import { createSeeded } from '../seeded.ts'
import { assertIncomingOrder, burstIds, CONTACTS, type Owed, settleOutgoing } from '../traffic.ts'

const FAULTS = Number(process.env.SVC_TEST_FAULTS ?? 8)
const TEXTS = Number(process.env.SVC_TEST_TEXTS ?? 400)
const INSTANCES = Number(process.env.SVC_TEST_INSTANCES ?? 8)
/** Milliseconds for everything to arrive after the last fault. */
const SETTLE = 120_000

describe('chaos in a cluster of three members', { skip: noPostgres, timeout: 1_800_000 }, () => {
  const seeded = createSeeded()
  let world: ClusterWorld
  let audit: HomeAudit
  const instances: Instance[] = []
  const phoneOf = (index: number) => `55119998${10_000 + index}`

  before(async () => {
    world = await startClusterWorld(['a', 'b', 'c'])
    audit = await auditHomes(world.sql)
    for (const contact of CONTACTS) await world.sandbox.createContact(contact)
    for (let index = 0; index < INSTANCES; index++)
      instances.push(await world.gateway.connected(world.sandbox, phoneOf(index), world.receiver))
  })
  after(async () => {
    await world?.stop()
  })

  const isUp = ({ running }: Member) => running().child.exitCode === null && running().child.signalCode === null

  async function startAgain(member: Member): Promise<void> {
    await member.running().ended
    await pause(seeded.below(3_000))
    await member.start()
  }

  const faults: Record<string, (member: Member) => Promise<void>> = {
    async kill(member) {
      await member.running().kill()
      await startAgain(member)
    },
    async stop(member) {
      await member.running().stop()
      await startAgain(member)
    },
    /** If the others remove the member while it is suspended, its process ends as soon as it continues. */
    async suspend(member) {
      const { child } = member.running()
      child.kill('SIGSTOP')
      await pause(3_000 + seeded.below(9_000))
      child.kill('SIGCONT')
      await Promise.race([member.running().ended, pause(8_000)])
      if (!isUp(member)) await startAgain(member)
    },
    async 'database restarts'() {
      await world.postgres.kill()
      await pause(seeded.below(2_000))
      await world.postgres.start()
    },
    async 'all connections are lost'() {
      await world.postgres.endClients()
    },
  }

  test(`${FAULTS} faults lose nothing, double nothing, and keep the order`, async (t) => {
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
        await pause(200)
      }
    }
    const receive = async (index: number) => {
      const from = CONTACTS[index % CONTACTS.length]!
      for (let number = 0; number < each || !isOver; number++) {
        received.push(...burstIds(await world.sandbox.burst(from, phoneOf(index), 1, `in ${index} ${number} `)))
        await pause(200)
      }
    }
    const sending = Promise.all(instances.flatMap((_, index) => [send(index), receive(index)]))
    for (let number = 0; number < FAULTS; number++) {
      await pause(1_000 + seeded.below(4_000))
      const [name, fault] = seeded.pick(Object.entries(faults))
      const member = seeded.pick(world.members)
      process.stdout.write(`# fault ${number + 1}: ${name} ${member.name}\n`)
      await fault(member)
      for (const each of world.members) if (!isUp(each)) await startAgain(each)
    }
    isOver = true
    await sending
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
    assert.deepEqual(await audit.violations(), [])
    assert.deepEqual(world.receiver.problems, [])
    process.stdout.write(`# homes: ${JSON.stringify(await world.homes())}\n`)
  })
})
