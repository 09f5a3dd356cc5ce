/**
 * The service sends messages again after a kill. If sending a message always ends the service, this must not be
 * repeated forever.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instance } from '../../harness/gateway.ts'
import { image } from '../../harness/media-files.ts'
import type { InboxItem } from '../../harness/sandbox.ts'
import { type Ground, startGround, until } from '../ground.ts'
import { CONTACTS, PHONE } from '../traffic.ts'

type Json = Record<string, unknown>

const [ANA, BEN] = CONTACTS

async function post({ gateway }: Ground, instance: Instance, path: string, input: Json): Promise<string> {
  const { message_id } = await gateway.must(instance, 'POST', path, input)
  return String(message_id)
}

const outcomeOf = async ({ receiver }: Ground, id: string) =>
  (await receiver.waitFor(`delivery of ${id}`, (event) => event.type === 'delivery' && event.message_id === id, 40_000)) as Json

async function dies({ service }: Ground) {
  const { signal } = await service.ended
  assert.equal(signal, 'SIGKILL')
}

const KINDS: Record<string, (ground: Ground, instance: Instance) => Promise<[path: string, input: Json]>> = {
  'a poll': async () => ['/send-poll', { phone: ANA, question: 'Which?', options: ['a', 'b'] }],
  'an event with a call': async () => [
    '/send-event',
    { phone: ANA, event: { name: 'Planning', date_time: '2030-03-02T14:00:00Z', call_link_type: 'video' } },
  ],
  'a picture': async () => ['/send-image', { phone: ANA, image: (await image('jpeg')).toString('base64') }],
  // The messages to which these sends refer are not in memory after the kill. A send that is composed again would not
  // find its message, and would fail although the contact has the first copy.
  'a vote': async ({ sandbox, receiver }) => {
    const { id } = await sandbox.send(ANA, PHONE, { poll: { question: 'Which?', options: ['a', 'b'], max: 1 } })
    await receiver.waitFor('the poll', (event) => event.type === 'received' && event.message_id === id)
    return ['/send-poll-vote', { phone: ANA, poll_message_id: id, options: ['a'] }]
  },
  'an edit': async (ground, instance) => {
    const id = await post(ground, instance, '/send-text', { phone: ANA, message: 'good' })
    await outcomeOf(ground, id)
    return ['/send-text', { phone: ANA, message: 'better', edit_message_id: id }]
  },
}

test('what leaves again after a kill is the message it was', { timeout: 300_000 }, async (t) => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    for (const contact of [ANA, BEN]) await sandbox.createContact(contact)
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    for (const [name, make] of Object.entries(KINDS))
      await t.test(name, async () => {
        await ground.service.kill()
        await ground.start({ SVC_TEST_KILL_AT: `queue:after-send:${name === 'an edit' ? 2 : 1}` })
        await gateway.waitForStatus(instance, 'connected')
        const [path, input] = await make(ground, instance)
        const id = await post(ground, instance, path, input)
        await dies(ground)
        await ground.start()
        const outcome = await outcomeOf(ground, id)
        assert.deepEqual([outcome.status, outcome.error_code], ['sent', null])
        const message = () => sandbox.inbox(ANA).then((items) => items.find((item) => item.id === id))
        await until(`both copies of ${name}`, async () => (await message())?.repeats === 1, 20_000)
        const { media, repeats_differ } = (await message()) as InboxItem
        assert.equal(media?.error, undefined)
        assert.equal(repeats_differ, undefined)
      })
  } finally {
    await ground.stop()
  }
})

test('an item with which the service died three times is given up, and the next one leaves', { timeout: 120_000 }, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    for (const contact of [ANA, BEN]) await sandbox.createContact(contact)
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await ground.service.kill()
    await ground.start({ SVC_TEST_KILL_AT: 'queue:before-send' })
    const poison = await post(ground, instance, '/send-text', { phone: ANA, message: 'poison' })
    const next = await post(ground, instance, '/send-text', { phone: BEN, message: 'next' })
    await dies(ground)
    for (let life = 2; life <= 3; life++) {
      await ground.start({ SVC_TEST_KILL_AT: 'queue:before-send' })
      await dies(ground)
    }
    // The process is killed at its second send. It must send only one message, `next`, because `poison` has ended three
    // processes and is not sent again.
    await ground.start({ SVC_TEST_KILL_AT: 'queue:before-send:2' })
    const failed = await outcomeOf(ground, poison)
    assert.deepEqual([failed.status, failed.error_code], ['failed', 'send_failed'])
    assert.equal((await outcomeOf(ground, next)).status, 'sent')
    assert.equal((await sandbox.inbox(BEN)).at(-1)?.text, 'next')
    assert.deepEqual(await sandbox.inbox(ANA), [])
  } finally {
    await ground.stop()
  }
})
