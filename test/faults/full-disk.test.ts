/**
 * If a commit about a received message fails, the service closes the socket and does not acknowledge the message. So
 * the network sends it again, at a time when the disk may have space. If a commit about a message to send fails, the
 * message goes back to the queue.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { MessageCopy } from '../../packages/sandbox/src/testing.ts'
import type { Batch } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { callTo } from '../harness/calls.ts'
import { chatOf } from '../harness/places.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { startUnasked } from './hosted.ts'
import { compare, line } from './ledger.ts'
import { assertIncomingOrder, burstIds, CONTACTS, MEMBERS, PHONE } from './traffic.ts'

const { world, group } = await startUnasked()
after(() => world.stop())

/**
 * Returns whether the inbox makes this commit. Such a commit has a mark of a received message, or a record of a stanza
 * that is decrypted but not processed.
 */
const isInbox = ({ ops }: Batch) =>
  ops.some(([key]) => key.startsWith(keys.marks(INSTANCE, 0)) || key.startsWith(keys.marks(INSTANCE, 1))) ||
  ops.some(([key, value]) => value !== null && key.startsWith(keys.journals(INSTANCE)))

async function count(prefix: string): Promise<number> {
  let found = 0
  for await (const _ of world.store.range(prefix)) found++
  return found
}

test('the first commit of each of eight texts fails, and all eight arrive once, in order', async (t) => {
  const { sandbox, receiver } = world
  let refused = 0
  let isNext = true
  // The commit of each text is refused once. When the network sends the text again, its commit is accepted.
  world.refuse((batch) => {
    if (!isInbox(batch) || !isNext) return false
    isNext = false
    refused++
    return true
  })
  const ids: string[] = []
  for (let number = 1; number <= 8; number++) {
    await until('connected', () => world.state().status === 'connected')
    isNext = true
    const [from, to] = number % 2 ? [CONTACTS[2], PHONE] : [MEMBERS[0], group]
    const { id } = await sandbox.send(from, to, { text: `refused ${number}` })
    ids.push(id)
    await world.untilRelinked(`text ${number}`, () => compare(receiver, 'received', [id]).lost.length === 0)
  }
  world.refuse(null)
  const { sent, unique, duplicates, lost, torn } = compare(receiver, 'received', ids)
  t.diagnostic(line('failing commits', { sent, unique, duplicates, lost: lost.length, refused }))
  assert.equal(refused, 8)
  assert.deepEqual(torn, [])
  assertIncomingOrder(world)
})

test('while the disk is full nothing is confirmed; with room everything comes', async () => {
  const { sandbox, receiver } = world
  let refused = 0
  world.refuse((batch) => {
    if (isInbox(batch)) refused++
    return isInbox(batch)
  })
  const ids = [
    ...burstIds(await sandbox.burst(CONTACTS[3], PHONE, 5, 'full alone ')),
    ...burstIds(await sandbox.burst(MEMBERS[1], group, 5, 'full group ')),
  ]
  await until('several attempts', () => refused >= 2)
  assert.equal(compare(receiver, 'received', ids).unique, 0)
  world.refuse(null)
  await until('all ten', () => compare(receiver, 'received', ids).lost.length === 0)
  assert.deepEqual(compare(receiver, 'received', ids).torn, [])
  assertIncomingOrder(world)
})

test('a new generation of marks that cannot be written costs no message', async () => {
  const { sandbox, receiver } = world
  let refused = 0
  world.refuse(({ ops }) => {
    const isRotation = ops.some(([key]) => key === keys.markGeneration(INSTANCE))
    if (isRotation) refused++
    return isRotation
  })
  // Each message stores two marks, so these messages store more marks than one generation may have.
  const ids = burstIds(await sandbox.burst(CONTACTS[1], PHONE, 1_100, 'many '))
  await until('all of them', () => compare(receiver, 'received', ids).lost.length === 0)
  world.refuse(null)
  assert.ok(refused > 0)
  const more = burstIds(await sandbox.burst(CONTACTS[1], PHONE, 5, 'after '))
  await until('the next ones', () => compare(receiver, 'received', more).lost.length === 0)
  assert.ok((await count(`instance:${INSTANCE}:seen:`)) < 2 * 2_048 + 10, 'marks of both generations at most')
  assertIncomingOrder(world)
})

/**
 * Returns whether the commit writes a Signal session. A session changes whenever a message is encrypted for its device.
 */
const isSession = ({ ops }: Batch) => ops.some(([key]) => key.startsWith(keys.signals(INSTANCE, 'session')))

async function sent(to: string, text: string): Promise<string> {
  const input = { phone: to, message: text, delay_message: 1 }
  const ack = (await world.instance.call(callTo('send.sendText', input))) as { svc_id: string; message_id: string }
  const delivery = await world.receiver.waitFor(
    `the delivery of ${text}`,
    ({ type, svc_id }) => type === 'delivery' && svc_id === ack.svc_id,
    60_000,
  )
  assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
  return ack.message_id
}

async function readers(phone: string, id: string): Promise<number[]> {
  const { items } = await world.sandbox.get<{ items: MessageCopy[] }>(`/contacts/${phone}/copies/${id}`)
  return items.filter(({ read }) => read).map(({ device }) => device)
}

// The library leaves out the devices for which it cannot encrypt the message. If no device is left, it fails with 'All
// encryptions failed'.
for (const [to, devices] of [
  ['somebody', 2],
  ['a group', 1],
] as const)
  test(`a commit that fails inside the relay to ${to}, whichever, puts the message back, and it leaves to every device`, async (t) => {
    const person = devices === 2 ? '5511988880005' : '5511988880006'
    await world.sandbox.createContact(person, { devices })
    let number = 0
    let refused: number
    do {
      // Each round with a group creates a new group, whose members do not have the sender key yet.
      const chat = to === 'a group' ? await createGroup(person) : person
      let seen = 0
      refused = 0
      world.refuse((batch) => {
        if (!isSession(batch) || refused > 0 || seen++ < number) return false
        refused++
        return true
      })
      const id = await sent(chat, `kept ${number}`)
      world.refuse(null)
      await until(`${person} to read it`, async () => (await readers(person, id)).length === devices)
      await until('the own phone to read it', async () => (await readers(PHONE, id)).includes(0))
      number++
    } while (refused > 0)
    t.diagnostic(`${number - 1} commits refused, one in each message`)
    // The sessions of all recipients of a message are stored in one commit. At least this commit must have been
    // refused.
    assert.ok(number > 1, 'no commit of sessions was refused')
  })

async function createGroup(member: string): Promise<string> {
  const { id } = await world.sandbox.createGroup({ subject: 'kept', owner: member, participants: [PHONE] })
  return chatOf(id)
}

test('nothing of a message can be written for a while; it leaves when the disk has room', async () => {
  let refused = 0
  world.refuse(({ ops }) => {
    const isOfRelay = ops.some(([key]) => key.startsWith(keys.sents(INSTANCE)))
    if (isOfRelay) refused++
    return isOfRelay && refused <= 8
  })
  const id = await sent(CONTACTS[3], 'kept')
  world.refuse(null)
  assert.ok(refused > 8, `${refused} commits of the relay were refused`)
  assert.deepEqual(await readers(CONTACTS[3], id), [0])
})

test('a first contact whose message could not be stored uses no budget', async () => {
  const [never, once] = ['5511988880021', '5511988880022'] as const
  for (const phone of [never, once]) await world.sandbox.createContact(phone)
  const { config, instance } = world
  await instance.configure({ ...config, settings: { ...config.settings, first_contacts_per_hour: 1 } })
  const used = async () => ((await instance.call(callTo('queue.sendSafety'))) as { hour: { used: number } }).hour.used
  let refused = 0
  world.refuse(({ ops }) => {
    const isOfRelay = ops.some(([key]) => key.startsWith(keys.sents(INSTANCE)))
    if (isOfRelay) refused++
    return isOfRelay
  })
  const input = { phone: never, message: 'never', delay_message: 1 }
  const { svc_id } = (await instance.call(callTo('send.sendText', input))) as { svc_id: string }
  await until('a refused commit', () => refused > 0)
  const remove = () => instance.call(callTo('queue.remove', { svc_id }))
  await until('the item to be removed', () => remove().then(Boolean, () => false))
  assert.equal(await used(), 0)
  world.refuse(null)
  const id = await sent(once, 'the one contact of this hour')
  assert.equal(await used(), 1)
  assert.deepEqual(await readers(once, id), [0])
  await instance.configure(config)
})

test('nothing is left in the journal', async () => {
  await until('an empty journal', async () => (await count(keys.journals(INSTANCE))) === 0)
})
