/**
 * The account's phone sends the content of messages that arrived without it. The service dies after it has acknowledged
 * or processed the phone's message.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause, startGround, until } from '../ground.ts'
import { textOf } from '../ledger.ts'
import { CONTACTS, createPeople, PHONE } from '../traffic.ts'

/**
 * Time in ms for the work that is left after the pairing. It is shorter than the two seconds after which the service
 * asks the phone for a message.
 */
const QUIET = 1_000
const STEPS = ['inbox:peer-confirmed', 'inbox:peer-settled']

test('a message the phone sent again is told once, whenever the service dies', { timeout: 600_000 }, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await createPeople(sandbox)
    // The contact writes once before the test, so that the phone's devices know this author.
    await sandbox.send(CONTACTS[2], PHONE, { text: 'hello' })
    const told = (id: string) =>
      receiver.events('received').filter((event) => event.message_id === id && event.message_type === 'text')

    /**
     * Starts the service so that it dies at the step. Before this, it runs once without a kill, so that it processes
     * earlier messages of the phone.
     */
    async function startDoomed(step: string) {
      await ground.service.kill()
      await ground.start()
      await gateway.waitForStatus(instance, 'connected')
      await pause(QUIET)
      await ground.service.kill()
      const service = await ground.start({ SVC_TEST_KILL_AT: step })
      await gateway.waitForStatus(instance, 'connected')
      await pause(QUIET)
      await gateway.waitForStatus(instance, 'connected')
      return service
    }

    for (const step of STEPS) {
      const service = await startDoomed(step)
      const { id } = await sandbox.send(CONTACTS[2], PHONE, { text: step }, { unavailable: 'fanout' })
      const { signal } = await service.ended
      assert.equal(signal, 'SIGKILL', step)
      await ground.start()
      await until(step, () => told(id).length > 0, 30_000)
      const [event] = told(id)
      assert.equal(textOf(event!), step)
      assert.equal(event?.waiting_message, false)
      assert.equal(new Set(told(id).map(({ event_id }) => event_id)).size, 1)
    }
  } finally {
    await ground.stop()
  }
})
