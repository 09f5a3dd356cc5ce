/**
 * Receipts while the service dies: right before and right after the commit of one, at random, and while they wait on the network. Each ends
 * in one `message_status`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause, startGround, until } from '../ground.ts'
import { line } from '../ledger.ts'
import { CONTACTS, createPeople, PHONE } from '../traffic.ts'

const STEPS = ['receipt:before-commit', 'receipt:after-commit']
const COUNTS = [1, 6]
const RANDOM_KILLS = 4
const PER_ROUND = 10
const VALUES = ['delivered', 'read', 'played'] as const

test('receipts given during kills all end in one message_status each', { timeout: 300_000 }, async (t) => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await createPeople(sandbox)
    /** `status id`. */
    const wanted: string[] = []
    let rounds = 0

    /** Each contact says of some messages that they were delivered, then read, then played. */
    async function receipts() {
      const round = rounds++
      for (const value of VALUES) {
        await Promise.all(
          CONTACTS.map(async (contact, index) => {
            const ids = Array.from({ length: PER_ROUND / 2 }, (_, number) => `3EB0${round}${index}${number}`)
            // One by one, and the rest as a list.
            for (const id of ids) await sandbox.receipt(contact, PHONE, [id], value)
            const listed = ids.map((id) => `${id}FF`)
            await sandbox.receipt(contact, PHONE, listed, value)
            wanted.push(...[...ids, ...listed].map((id) => `${value} ${id}`))
          }),
        )
      }
    }

    const told = () => {
      const events = new Map<string, Set<string>>()
      for (const { event_id, status, ids } of receiver.events('message_status')) {
        for (const id of ids as string[]) {
          const key = `${status} ${id}`
          events.set(key, (events.get(key) ?? new Set()).add(event_id))
        }
      }
      return events
    }
    const lost = () => wanted.filter((key) => !told().has(key))

    /** What the round before left over would reach the step before the new ones do. */
    const quiet = () => until('every receipt', () => lost().length === 0)

    for (const step of STEPS) {
      for (const count of COUNTS) {
        await ground.service.kill()
        const service = await ground.start({ SVC_TEST_KILL_AT: `${step}:${count}` })
        if (count === 1) await gateway.waitForStatus(instance, 'connected')
        await receipts()
        assert.equal((await service.ended).signal, 'SIGKILL', `${step}:${count}`)
        await ground.start()
        await quiet()
      }
    }
    for (let kill = 0; kill < RANDOM_KILLS; kill++) {
      await gateway.waitForStatus(instance, 'connected')
      const given = receipts()
      await pause(Math.random() * 150)
      await ground.service.kill()
      await given
      await ground.start()
    }

    const deadline = Date.now() + 30_000
    await until('every receipt', () => lost().length === 0 || Date.now() > deadline, 40_000)
    const twice = [...told()].filter(([, ids]) => ids.size > 1).map(([key]) => key)
    const kills = STEPS.length * COUNTS.length + RANDOM_KILLS
    t.diagnostic(line('receipts', { given: wanted.length, lost: lost().length, twice: twice.length, kills }))
    assert.deepEqual(lost(), [])
    assert.deepEqual(twice, [], 'values under two event ids')
    assert.deepEqual(receiver.problems, [])
  } finally {
    await ground.stop()
  }
})
