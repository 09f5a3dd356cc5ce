import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { must } from '../harness/http.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const world = await startWorld()
after(() => world.stop())

type Instance = Awaited<ReturnType<World['gateway']['connected']>>

async function read(phone: string): Promise<number[]> {
  const { contacts } = await must<{ contacts: { phone: string; devices: { received: number }[] }[] }>(
    'GET',
    `${world.sandbox.url}/state`,
  )
  return contacts.find((each) => each.phone === phone)!.devices.map(({ received }) => received)
}

async function send(instance: Instance, message: string) {
  const { message_id } = await world.gateway.sendText(instance, ANA, message)
  await world.receiver.waitFor(`delivery of ${message}`, (event) => event.type === 'delivery' && event.message_id === message_id)
  return message_id
}

// An earlier bug: new devices received nothing for five minutes, because their notification contains the number, and
// the device list is stored under the LID.
test('a contact that links two more devices gets the next text on all four', async () => {
  const { gateway, sandbox, receiver } = world
  await sandbox.createContact(ANA, { name: 'Ana', devices: 2 })
  const instance = await gateway.connected(sandbox, ME, receiver)
  await send(instance, 'to two')
  assert.deepEqual(await read(ANA), [1, 1])
  await sandbox.updateContact(ANA, { devices: 4 })
  // If no stanza waits for an acknowledgement, the service has handled both notifications.
  while ((await sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await send(instance, 'to four')
  assert.deepEqual(await read(ANA), [2, 2, 1, 1])
  await sandbox.updateContact(ANA, { devices: 1 })
  while ((await sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await send(instance, 'to one')
  assert.equal((await read(ANA))[0], 3)
})

test('another device of our own account, linked after the list of them was asked for, sees what we send', async () => {
  const { gateway, sandbox, receiver } = world
  const phone = '5511977770009'
  const first = await gateway.connected(sandbox, phone, receiver)
  await send(first, 'before')
  const second = await gateway.createInstance(receiver)
  await gateway.pair(second, sandbox, phone)
  while ((await sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const message_id = await send(first, 'to both')
  // The second instance reports a receipt only for a message that it has stored. So this event shows that it has
  // received the message.
  await receiver.waitFor(
    'the receipt of our own message, on the other device',
    (event) => event.type === 'message_status' && event.instance_id === second.id && (event.ids as string[]).includes(message_id),
  )
})
