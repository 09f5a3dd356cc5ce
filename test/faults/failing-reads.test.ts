/**
 * A message that is received while a read fails must be neither acknowledged nor reported as undecryptable. The network
 * then sends it again.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { keys } from '../../src/storage/record-keys.ts'
import { callTo } from '../harness/calls.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { type HostedWorld, startUnasked } from './hosted.ts'
import { textOf } from './ledger.ts'
import { CONTACTS, MEMBERS, PHONE } from './traffic.ts'

let world: HostedWorld
let group: string
before(async () => {
  ;({ world, group } = await startUnasked())
})
after(() => world.stop())

async function told(id: string) {
  const found = () => world.receiver.events('received').filter(({ message_id }) => message_id === id)
  await until(`message ${id}`, () => found().length > 0, 20_000)
  return found()
}

/** Builds an answer to one of the account's own messages, which the service looks up in memory and then on disk. */
const answerTo = (stanzaId: string) => ({
  proto: {
    interactiveResponseMessage: {
      body: { text: 'One' },
      nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":"one"}', version: 3 },
      contextInfo: { stanzaId, participant: `${PHONE}@s.whatsapp.net` },
    },
  },
})

/**
 * Makes the first matching read fail. The returned function ends this, and returns the number of failed reads (0 or 1).
 */
function failOnce(fits: (key: string) => boolean) {
  let failed = 0
  world.refuseRead((key) => fits(key) && failed++ === 0)
  return () => {
    world.refuseRead(null)
    return Math.min(failed, 1)
  }
}

test('a session that cannot be read for a moment costs no message', async () => {
  const failed = failOnce((key) => key.startsWith(keys.signals(INSTANCE, 'session')))
  const { id } = await world.sandbox.send(CONTACTS[2], PHONE, { text: 'first' })
  const [event] = await told(id)
  assert.equal(failed(), 1)
  assert.equal(textOf(event!), 'first')
})

test('a sender key that cannot be read for a moment costs no message', async () => {
  const failed = failOnce((key) => key.startsWith(keys.signals(INSTANCE, 'sender-key')))
  const { id } = await world.sandbox.send(MEMBERS[0], group, { text: 'to all' })
  const [event] = await told(id)
  assert.equal(failed(), 1)
  assert.equal(textOf(event!), 'to all')
})

// An earlier bug: if the earlier message could not be read, the message about it was reported as `unsupported`, and its
// text was lost.
test('a message about another one is told whole although that one could not be read at first', async () => {
  const failed = failOnce((key) => key.startsWith(keys.sents(INSTANCE)))
  const { id } = await world.sandbox.send(CONTACTS[2], PHONE, answerTo('3EB0NOBODYKNOWS'))
  const [event] = await told(id)
  assert.equal(failed(), 1)
  assert.ok(!('unsupported' in event!), JSON.stringify(event))
})

test('one that meets a failure every time is let go, and those behind it come', async () => {
  let failed = 0
  world.refuseRead((key) => key.startsWith(keys.sents(INSTANCE)) && ++failed > 0)
  await world.sandbox.send(CONTACTS[2], PHONE, answerTo('3EB0NEVERREAD'))
  const { id } = await world.sandbox.send(CONTACTS[2], PHONE, { text: 'behind it' })
  await world.untilRelinked('the next one', () => world.receiver.events('received').some(({ message_id }) => message_id === id))
  world.refuseRead(null)
  assert.ok(failed > 1)
})

const mapping = keys.signals(INSTANCE, 'lid-mapping')

/** Creates a group. One of its members has not sent anything, so the service has to look up the LID of this member. */
async function groupWith(stranger: string) {
  const { id } = await world.sandbox.createGroup({
    subject: 'Team',
    owner: CONTACTS[2],
    participants: [PHONE, stranger],
    addressing: 'pn',
  })
  const chat = `${id.split('@')[0]}-group`
  const told = (name: string) =>
    world.receiver.events('received').filter(({ notification, phone }) => notification === name && phone === chat)
  await until('the group', () => told('group_create').length > 0)
  return {
    leave: () => world.sandbox.post(`/groups/${id}/participants`, { by: stranger, action: 'leave' }),
    rename: () => world.sandbox.put(`/groups/${id}`, { by: CONTACTS[2], subject: 'Next' }),
    told,
  }
}

// An earlier bug: if the pair of number and LID could not be read, the notification was acknowledged and lost.
test('a notification is told although whoever acts could not be looked up at first', async () => {
  const stranger = '5511988880077'
  const group = await groupWith(stranger)
  const failed = failOnce((key) => key === `${mapping}${world.sealer.blind(stranger)}`)
  await group.leave()
  await until('the departure', () => group.told('group_participant_leave').length > 0, 20_000)
  assert.equal(failed(), 1)
  assert.deepEqual(
    group.told('group_participant_leave').map(({ participant_phone }) => participant_phone),
    [stranger],
  )
})

// An earlier bug: if the post could not be read, the stanza counted as malformed, was acknowledged, and the reaction was lost.
test('a reaction to a post is told although the post could not be read at first', async () => {
  const { id: from } = await world.sandbox.post<{ id: string }>('/newsletters', {
    name: 'News',
    owner: CONTACTS[2],
    subscribers: [PHONE],
  })
  const failed = failOnce((key) => key.startsWith(keys.sentPosts(INSTANCE)))
  const id = 'REACTIONTOPOST'
  const attrs = { from, id, t: String(Math.floor(Date.now() / 1_000)), type: 'reaction', server_id: '98765' }
  await world.sandbox.post('/stanzas', { phone: PHONE, node: ['message', attrs, [['reaction', { code: '👍' }]]], keep: true })
  await told(id)
  assert.equal(failed(), 1)
})

test('a notification that can never be told is let go, and those behind it come', async () => {
  const stranger = '5511988880078'
  const group = await groupWith(stranger)
  let failed = 0
  world.refuseRead((key) => key === `${mapping}${world.sealer.blind(stranger)}` && ++failed > 0)
  await group.leave()
  await group.rename()
  await world.untilRelinked('both are confirmed', async () => (await world.sandbox.pending()) === 0)
  world.refuseRead(null)
  // The service tries six times, and each attempt ends with a failed read. So at least six reads must have failed.
  assert.ok(failed >= 6, `${failed} reads`)
  await until('the new name', () => group.told('group_change_subject').length === 1)
  assert.deepEqual(group.told('group_participant_leave'), [])
})

// An earlier bug: after three failed reads (for example in a short outage of the database) the account was stopped
// permanently.
test('an account whose device cannot be read for a while is connected again by itself', async () => {
  let failed = 0
  world.refuseRead((key) => key === keys.creds(INSTANCE) && ++failed > 0)
  await world.instance.call(callTo('instance.restart'))
  await until('four failures', () => failed >= 4)
  world.refuseRead(null)
  await until('the connection', () => world.state().status === 'connected')
})

test('a login leaves only after the store has accepted a commit, so a service that was replaced does not log in', async () => {
  let refused = 0
  world.refuse(({ ops }) => ops.length === 0 && ++refused > 0)
  await world.instance.call(callTo('instance.restart'))
  await until('two refused logins', () => refused >= 2)
  assert.notEqual(world.state().status, 'connected')
  world.refuse(null)
  await until('the connection', () => world.state().status === 'connected')
})

test('whatever came again was told once', () => {
  const events = new Map<unknown, Set<string>>()
  for (const { message_id, event_id } of world.receiver.events('received'))
    events.set(message_id, (events.get(message_id) ?? new Set()).add(event_id))
  assert.ok(events.size > 0)
  assert.deepEqual(
    [...events].filter(([, ids]) => ids.size > 1).map(([id]) => id),
    [],
  )
})
