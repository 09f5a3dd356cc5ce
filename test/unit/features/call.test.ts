import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callOf } from '../../../src/features/call.ts'
import { endpoints } from '../../../src/features/index.ts'
import { parseInput } from '../../../src/features/input.ts'

const call = (id: string, input: Record<string, unknown> = {}) => {
  const endpoint = endpoints.find((one) => one.id === id)!
  return callOf(endpoint, parseInput(endpoint, input))
}

const ABOUT = ['edit_message_id', 'poll_message_id', 'event_message_id', 'message_id']
/**
 * Operations whose `message_id` is not what the send is about. It names the message to forward, or the message that the
 * status of an order quotes.
 */
const ABOUT_NONE = new Set(['send.forwardMessage', 'send.orderStatusUpdate'])

for (const endpoint of endpoints.filter(({ kind }) => kind === 'send'))
  test(`${endpoint.id} says of each of its examples where it goes and what it is about`, () => {
    for (const { input = {} } of endpoint.examples) {
      const made = call(endpoint.id, input)
      assert.ok(made.kind === 'send')
      assert.ok(made.to.length > 0)
      const named = ABOUT.map((field) => input[field]).find((value) => typeof value === 'string')
      assert.equal(made.about, ABOUT_NONE.has(endpoint.id) ? null : (named ?? null))
    }
  })

test('a send carries its preview and its delays', () => {
  const input = {
    phone: '5511988887777',
    message: 'hello',
    delay_message: 3,
    delay_typing: 2,
    send_at: '2026-01-31T09:00:00-03:00',
  }
  const { input: _, ...facts } = call('send.sendText', input)
  assert.deepEqual(facts, {
    kind: 'send',
    operation: 'send.sendText',
    to: '5511988887777',
    about: null,
    preview: 'hello',
    delayMessage: 3,
    sendAt: Date.parse('2026-01-31T12:00:00.000Z'),
    delayTyping: 2,
  })
})

test('a status goes to the status', () => {
  const made = call('send.sendTextStatus', { message: 'open' })
  assert.equal(made.kind === 'send' && made.to, 'status@broadcast')
})

test('an action carries its deadline and what 404 means for it', () => {
  const { input: _, ...facts } = call('messages.readMessage', { phone: '5511988887777', message_id: 'A' })
  assert.deepEqual(facts, { kind: 'action', operation: 'messages.readMessage', deadlineMs: 20_000, notFound: 'chat_not_found' })
})

test('what main answers itself is no call', () => {
  assert.throws(() => call('instance.me'))
})

const LONG = [
  ...['groups.list', 'communities.list', 'contacts.existsBatch', 'groups.create', 'communities.create'],
  ...['products', 'product', 'collections', 'collectionProducts', 'order'].map((read) => `business.${read}`),
  // The requests of these operations contain an image. In `newsletters.create` it is optional.
  ...[
    'groups.updatePhoto',
    'communities.updatePhoto',
    'profile.updatePicture',
    'newsletters.create',
    'newsletters.updatePicture',
  ],
  ...['business.createProduct', 'business.updateProduct'],
  // A change of 256 people needs thirteen queries with pauses of a second in between, so these operations have a
  // longer deadline.
  ...['add', 'remove', 'promote', 'demote'].flatMap((verb) => [`groups.${verb}Participants`, `communities.${verb}Participants`]),
  ...['groups.approveParticipants', 'groups.rejectParticipants'],
]

test('an immediate operation has 20 s, and 45 s where it takes longer', () => {
  const actions = endpoints.filter(({ kind }) => kind === 'action')
  const long = actions.filter(({ deadlineMs }) => deadlineMs !== 20_000)
  assert.deepEqual(new Set(long.map(({ deadlineMs }) => deadlineMs)), new Set([45_000]))
  assert.deepEqual(long.map(({ id }) => id).sort(), [...LONG].sort())
})
