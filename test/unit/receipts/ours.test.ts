import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRetention } from '../../../src/storage/retention.ts'
import { createAuthorship } from '../../../workers/shard/messages/authorship.ts'
import { ofOurs } from '../../../workers/shard/receipts/ours.ts'
import { takeReceipt } from '../../../workers/shard/receipts/receipts.ts'
import type { Receipt } from '../../../workers/shard/translate/inbound/receipt.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore } from '../storage/fixtures.ts'
import { ANA, ANA_LID, testContext } from '../translate/inbound/context.ts'

const BEN = '5511988880002@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'
const { identity } = testContext()

async function known(t: Parameters<typeof tempStore>[0]) {
  const store = await tempStore(t)
  const log = recordingLog()
  const context = { id: INSTANCE, store, sealer, clock: { now: () => START }, log, retention: createRetention(log) }
  const messages = createAuthorship(context)
  const sent = (id: string, chat: string) => store.commit({ ops: messages.ownOps(id, chat) })
  await sent('A', ANA)
  await sent('G', GROUP)
  return { messages, sent }
}

const receipt = (chat: string, ids: string[], more: Partial<Receipt> = {}): Receipt => ({
  status: 'read',
  ids,
  chat,
  participant: null,
  at: START,
  ...more,
})

test('only ids that are ours in exactly that chat, by either name of the person', async (t) => {
  const { messages } = await known(t)
  const ids = async (said: Receipt) => (await ofOurs(said, { identity, messages, before: undefined }))?.ids ?? null
  assert.deepEqual(await ids(receipt(ANA, ['A', 'G', 'x'])), ['A'])
  assert.deepEqual(await ids(receipt(ANA_LID.replace('@', ':7@'), ['x', 'A'])), ['A'])
  assert.deepEqual(await ids(receipt(BEN, ['A', 'G'])), null)
  assert.deepEqual(await ids(receipt(GROUP, ['A', 'G'], { participant: BEN })), ['G'])
  assert.deepEqual(await ids(receipt(ANA, ['new'], { status: 'sent' })), ['new'])
})

test('one that overtakes the message of our own phone waits for it; a hundred thousand ids let others have their turn', async (t) => {
  const { messages, sent } = await known(t)
  const before = async () => void (await sent('late', ANA))
  assert.deepEqual((await ofOurs(receipt(ANA, ['late']), { identity, messages, before }))?.ids, ['late'])
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const many = Array.from({ length: 20_000 }, (_, index) => `id${index}`)
  await ofOurs(receipt(ANA, many), { identity, messages, before: undefined })
  clearImmediate(next)
  assert.ok(turns > 100, `${turns} turns`)
})

// An earlier bug: all receipts in a stanza were handled in one turn of the event loop, which took 0.4 s for 20,000
// receipts.
test('a receipt of 20,000 members lets others have their turn, and all of them are taken in their order', async (t) => {
  const { messages } = await known(t)
  const taken: (string | null)[] = []
  const take = takeReceipt({
    statuses: { take: async (_, { participant }) => void taken.push(participant) },
    messages,
    identity,
    me: () => ({ id: '5511999990000:3@s.whatsapp.net' }),
    before: () => undefined,
    clock: { now: () => START },
  })
  const users = Array.from({ length: 20_000 }, (_, index) => ({
    tag: 'user',
    attrs: { jid: `${100_000 + index}@lid`, t: '1767225600' },
  }))
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const content = [{ tag: 'participants', attrs: { key: 'G' }, content: users }]
  await take({ tag: 'receipt', attrs: { from: GROUP, id: 'G', type: 'read' }, content })
  clearImmediate(next)
  assert.deepEqual(
    taken,
    users.map(({ attrs }) => attrs.jid),
  )
  assert.ok(turns > 3, `${turns} turns`)
})
