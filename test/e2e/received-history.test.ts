/** Messages from before the account was linked are history and cause no events, but later changes of them do. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../harness/world.ts'
import { ANA, BEN, ME } from './received/story.ts'

const SHOP = '5511999990001'
const EMPTY = '5511999990002'

let world: World
before(async () => {
  world = await startWorld()
  for (const [phone, name] of [
    [ANA, 'Ana'],
    [BEN, 'Ben'],
  ] as const)
    await world.sandbox.createContact(phone, { name })
})
after(() => world.stop())

const { stringify } = JSON

/** Links a new instance to the phone. `told` returns the received events about it, except those about its state. */
async function linked(phone: string) {
  const { gateway, sandbox, receiver } = world
  const instance = await gateway.createInstance(receiver)
  await gateway.pair(instance, sandbox, phone)
  const told = () => receiver.events('received').filter(({ instance_id }) => instance_id === instance.id)
  return {
    instance,
    told,
    label: (chat: string, label: string) => sandbox.post(`/phones/${phone}/labels`, { chat, label }),
    rename: (name: string) => sandbox.put(`/phones/${phone}/profile`, { name }),
    /** Returns the notifications when the service has handled everything that was sent before this call. */
    async notifications() {
      const { id } = await sandbox.send(ANA, phone, { text: 'behind it' })
      await receiver.waitFor('behind it', ({ message_id }) => message_id === id)
      return told().flatMap(({ notification, label_associations, profile_name }) =>
        notification ? [stringify([notification, label_associations ?? profile_name])] : [],
      )
    },
    waitFor: (notification: string) =>
      receiver.waitFor(notification, (event) => event.instance_id === instance.id && event.notification === notification),
  }
}

const labelled = (phone: string, label: string) => stringify(['chat_label_association', [{ phone, label, assigned: true }]])
const renamed = (name: string) => stringify(['profile_name_updated', name])

test('labels, name and messages from before the pairing are not told; what changes after it is, also after a restart', async () => {
  const { sandbox, gateway } = world
  await sandbox.createPhone(ME, { name: 'Before', history: { chats: 5, contacts: 5 } })
  for (const chat of [ANA, BEN]) await sandbox.post(`/phones/${ME}/labels`, { chat, label: '1' })
  const { instance, notifications, told, label, rename, waitFor } = await linked(ME)
  assert.deepEqual(await notifications(), [])
  assert.equal(told().length, 1)
  await label(ANA, '2')
  await waitFor('chat_label_association')
  await rename('After')
  await waitFor('profile_name_updated')
  assert.deepEqual(await notifications(), [labelled(ANA, '2'), renamed('After')])
  await world.restartService()
  await gateway.waitForStatus(instance, 'connected')
  await label(BEN, '3')
  await rename('Later')
  await world.receiver.waitFor('the last name', ({ profile_name }) => profile_name === 'Later')
  assert.deepEqual(await notifications(), [labelled(ANA, '2'), renamed('After'), labelled(BEN, '3'), renamed('Later')])
})

test('the verified name of a business comes with the pairing, and what it calls itself is no change of it', async () => {
  await world.sandbox.createPhone(SHOP, { name: 'Shop', platform: 'smba', verified_name: 'Shop Ltd.' })
  const { notifications, rename, waitFor } = await linked(SHOP)
  assert.deepEqual(await notifications(), [])
  await rename('Shop & Co')
  await waitFor('profile_name_updated')
  assert.deepEqual(await notifications(), [renamed('Shop & Co')])
})

// An earlier bug: the first entry of an empty collection was treated as history, because the library stores no version
// for an empty collection.
test('the first label of an account that had none is told', async () => {
  await world.sandbox.createPhone(EMPTY)
  const { notifications, label, waitFor } = await linked(EMPTY)
  assert.deepEqual(await notifications(), [])
  await label(ANA, '1')
  await waitFor('chat_label_association')
  assert.deepEqual(await notifications(), [labelled(ANA, '1')])
})
