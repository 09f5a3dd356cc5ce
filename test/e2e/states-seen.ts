/**
 * Reads the state of an instance as a client does, from two requests and from the events, for the tests of changes of
 * state.
 */
import assert from 'node:assert/strict'
import type { Instance } from '../harness/gateway.ts'
import type { Received } from '../harness/receiver.ts'
import type { World } from '../harness/world.ts'

type Fault = Record<string, unknown> | 'cut' | 'drop'

const WITH_REASON = ['disconnected', 'logged_out', 'banned', 'stopped']

let next = 5_511_900_100_001
export const newPhone = () => String(next++)

export function watch(world: World) {
  const { sandbox, receiver } = world
  const { gateway } = world

  /**
   * Returns the status events of an instance, each of them once. If a thread dies before it has stored the delivery of
   * an event, the event is posted again under the same id.
   */
  const events = (instance: Instance): Received['event'][] => {
    const own = receiver.events('instance_status').filter(({ instance_id }) => instance_id === instance.id)
    return [...new Map(own.map((event) => [event.event_id, event])).values()]
  }

  async function sees(instance: Instance, status: string, reason: string | null, sentence: string | RegExp | null, ms = 10_000) {
    const until = Date.now() + ms
    for (;;) {
      const live = await world.gateway.must(instance, 'GET', '/status')
      const me = live.status === status ? await world.gateway.must(instance, 'GET', '/me') : undefined
      // The reason may change between the two requests. So both answers must contain the expected reason.
      const isSaid = sentence instanceof RegExp ? sentence.test(String(live.error)) : live.error === sentence
      if (me?.status === status && me.status_reason === reason && isSaid) {
        assert.equal(live.connected, status === 'connected')
        assert.equal(live.smartphone_connected, live.connected)
        assert.equal(me.connected, live.connected)
        return me
      }
      if (Date.now() > until) assert.fail(`${live.status}, ${me?.status_reason} (${live.error}) and not ${status}, ${reason}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Waits for an event that reports this status. The first `after` events are ignored. */
  async function told(instance: Instance, status: string, reason: string | null, after = 0) {
    return receiver.waitFor(`${status} of ${instance.id}`, (event) => {
      const own = event.type === 'instance_status' && event.instance_id === instance.id && event.status === status
      const isLater = own && events(instance).findIndex(({ event_id }) => event_id === event.event_id) >= after
      return isLater && (event.disconnect_reason === reason || !WITH_REASON.includes(status))
    })
  }

  /**
   * Checks that every change of the state was reported one time and in order, and that the fields of each event match
   * its status. Returns the statuses.
   */
  async function path(instance: Instance): Promise<string[]> {
    const all = events(instance)
    for (const [index, event] of all.entries()) {
      assert.equal(
        event.previous_status,
        index === 0 ? null : all[index - 1]!.status,
        `event ${index + 1} follows the one before`,
      )
      assert.notEqual(event.previous_status, event.status, 'the same status is not told twice')
      assert.equal(event.connected, event.status === 'connected')
      assert.equal(event.disconnect_reason === null, !WITH_REASON.includes(String(event.status)))
      assert.equal(event.reason === null, event.status === 'connected')
      if (event.status === 'connected') assert.match(String(event.phone), /^\d+$/)
    }
    return all.map(({ status }) => String(status))
  }

  /**
   * Makes the network answer the next receipt of the instance with this fault, which then happens on an open
   * connection.
   */
  async function strike(instance: Instance, phone: string, fault: Fault) {
    await sandbox.fault({ on: 'receipt', match: { phone }, do: fault, times: 1 })
    await world.gateway.ask(instance, 'POST', '/read-message', { phone: '5511988887777', message_id: '3EB0000000000000000001' })
  }

  async function keepOut(instance: Instance, phone: string, fault: Fault = { failure: 503 }) {
    await sandbox.fault({ on: 'login', match: { phone }, do: fault })
    await sandbox.cut(phone)
    await told(instance, 'disconnected', 'connection_closed')
  }

  async function connected(settings: Record<string, unknown> = {}) {
    const phone = newPhone()
    const instance = await gateway.connected(sandbox, phone, receiver, { settings })
    await told(instance, 'connected', null)
    return { phone, instance }
  }

  async function queued(instance: Instance): Promise<number> {
    const { data } = await world.gateway.must(instance, 'GET', '/queue')
    return (data as unknown[]).length
  }

  return { events, sees, told, path, strike, keepOut, connected, queued }
}
