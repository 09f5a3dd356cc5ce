/**
 * Each receipt must cause one `message_status` event, even if the service dies. The account sends its messages first,
 * because receipts of unknown messages are ignored.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause, sendUntilAcknowledged, startGround, until } from '../ground.ts'
import { line } from '../ledger.ts'
import { CONTACTS, createPeople, PHONE } from '../traffic.ts'

const STEPS = ['receipt:before-commit', 'receipt:after-commit']
const COUNTS = [1, 6]
const RANDOM_KILLS = 4
const PER_ROUND = 10
const ROUNDS = STEPS.length * COUNTS.length + RANDOM_KILLS
const VALUES = ['delivered', 'read', 'played'] as const

test('receipts given during kills all end in one message_status each', { timeout: 590_000 }, async (t) => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await createPeople(sandbox, { receipts: 'none' })
    const sent = await Promise.all(
      CONTACTS.map(async (contact) => {
        const ids: string[] = []
        for (let number = 0; number < ROUNDS * PER_ROUND; number++) {
          ids.push((await sendUntilAcknowledged(gateway, instance, contact, `text ${number}`)).message_id)
        }
        return ids
      }),
    )
    const left = () =>
      new Set(receiver.events('message_status').flatMap(({ status, ids }) => (status === 'sent' ? (ids as string[]) : [])))
    await until('all texts left', () => left().size === CONTACTS.length * ROUNDS * PER_ROUND)
    const wanted: string[] = []
    let rounds = 0

    async function receipts() {
      const round = rounds++
      for (const value of VALUES) {
        await Promise.all(
          CONTACTS.map(async (contact, index) => {
            const ids = sent[index]!.slice(round * PER_ROUND, (round + 1) * PER_ROUND)
            // Half of the messages have a receipt of their own, and the other half share one receipt.
            for (const id of ids.slice(0, PER_ROUND / 2)) await sandbox.receipt(contact, PHONE, [id], value)
            await sandbox.receipt(contact, PHONE, ids.slice(PER_ROUND / 2), value)
            wanted.push(...ids.map((id) => `${value} ${id}`))
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

    /**
     * Waits until all earlier receipts are reported. Otherwise, the service could be killed while it handles the
     * earlier receipts, and not the new ones.
     */
    const quiet = () => until('every receipt', () => lost().length === 0, 120_000)

    for (const step of STEPS) {
      for (const count of COUNTS) {
        await ground.service.kill()
        const service = await ground.start({ SVC_TEST_KILL_AT: `${step}:${count}` })
        if (count === 1) await gateway.waitForStatus(instance, 'connected')
        await receipts()
        // On a busy machine many receipts share one commit. So the service may report all of them before it reaches the
        // step `count` times.
        const reported = quiet().then(() => 'reported' as const)
        const end = await Promise.race([service.ended.then(({ signal }) => signal), reported])
        if (end === 'reported' && count > 1) await service.kill()
        else assert.equal(end, 'SIGKILL', `${step}:${count}`)
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

    const deadline = Date.now() + 240_000
    await until('every receipt', () => lost().length === 0 || Date.now() > deadline, 250_000)
    const twice = [...told()].filter(([, ids]) => ids.size > 1).map(([key]) => key)
    t.diagnostic(line('receipts', { given: wanted.length, lost: lost().length, twice: twice.length, kills: ROUNDS }))
    assert.deepEqual(lost(), [])
    assert.deepEqual(twice, [], 'values under two event ids')
    assert.deepEqual(receiver.problems, [])
  } finally {
    await ground.stop()
  }
})
