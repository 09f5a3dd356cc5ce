/**
 * Answers the queries of the operations in `network-codes.ts` with error codes, with nothing, or with the end of the
 * connection. One account has most of the required roles: it is a business, administers a group and a community, and
 * owns a channel. Another account sends the queries that a business cannot send (`OF_A_PERSON`).
 */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { amount } from '../harness/amount.ts'
import * as files from '../harness/media-files.ts'
import { codeOf, operationsOf } from '../harness/operations.ts'
import { chatOf } from '../harness/places.ts'
import { type Json, joinStage, startStage } from '../harness/stage.ts'
import { asked, asking, CODES, expected, ids, OF_A_PERSON, READ_CODES, READ_LISTS } from './network-codes.ts'

const ME = '5511999990021'
const PERSON = '5511999990022'
const ANA = '5511988880021'
const BEN = '5511988880022'

// No trace of the stanzas is written: the network answers with error codes that the specification of the protocol
// does not have for these queries, so the check of the traces would fail.
const stage = await startStage(ME, { platform: 'smba' }, { untraced: true })
const operations = operationsOf(stage)
const other = await joinStage(stage.world, PERSON, { name: 'Person' })
await other.named()
const person = operationsOf(other)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createContact(BEN, { name: 'Ben' })
await sandbox.business(ME, {
  products: [{ id: '1', name: 'Mouse' }],
  collections: [{ id: '10', name: 'Sale', product_ids: ['1'] }],
})
const group = chatOf((await sandbox.createGroup({ subject: 'Team', owner: ME, participants: [ME, ANA] })).id)
const { id: community } = await sandbox.post<{ id: string }>('/communities', {
  owner: ME,
  name: 'Customers',
  participants: [ANA],
})
const channel = await sandbox.post<{ id: string; invite: string }>('/newsletters', {
  owner: ME,
  name: 'News',
  subscribers: [ANA],
})
await stage.named()
const { id: label_id } = await operations.must('labels.create', { name: 'Paid' })
const { id: message_id } = await stage.shown('/send-text', { phone: ANA, message: 'Hello' })
const { invitation_link } = await operations.must('groups.invitationLink', { group_id: group })
const picture = (await files.image('jpeg', 200, 200)).toString('base64')
await operations.must('contacts.block', { phone: BEN })
const real: Json = {
  group_id: group,
  community_id: chatOf(community),
  groups: [group],
  newsletter_id: channel.id,
  phone: ANA,
  phones: [ANA],
  url: invitation_link,
  product_id: '1',
  product_ids: ['1'],
  collection_id: '10',
  images: [picture],
  label_id,
  message_id,
}
/**
 * Values that replace the placeholders in the examples of single operations, by operation and field. They take
 * precedence over those in `real`.
 */
const own: Readonly<Record<string, Json>> = {
  'newsletters.invitationMetadata': { url: `https://whatsapp.com/channel/${channel.invite}` },
  'groups.updatePhoto': { value: picture },
  'communities.updatePhoto': { value: picture },
  'newsletters.updatePicture': { value: picture },
  'profile.updatePicture': { value: picture },
  'business.createProduct': { url: 'https://example.com/mouse' },
  'business.profile': { phone: ANA },
  'contacts.add': { contacts: [{ phone: ANA, first_name: 'Ana' }] },
  'contacts.unblock': { phone: BEN },
  'chats.expiration': { phone: group, value: 0 },
  // The service does not know this person, so it needs data from the network. For a known person, missing data are left
  // out of the answer.
  'chats.get': { phone: '5511955550002' },
  'contacts.exists': { phone: '5511955550000' },
  'contacts.existsBatch': { phones: ['5511955550001'] },
}
after(() => stage.world.stop())
const asUsual = () => fetch(`${stage.world.sandbox.url}/answers`, { method: 'DELETE' })
afterEach(asUsual)

function inputOf(id: string): Json {
  const { fields, examples } = asked.find((each) => each.id === id)!
  const known = Object.entries(real).filter(([name]) => name in fields && name in (examples[0]?.input ?? {}))
  return { ...examples[0]?.input, ...Object.fromEntries(known), ...own[id] }
}

/**
 * Makes the network give this answer to every query of both accounts, except the query with which the service checks
 * the connection.
 */
async function answers(action: unknown): Promise<void> {
  const { sandbox } = stage.world
  for (const account of [ME, PERSON]) {
    await sandbox.post('/answers', { match: { account, tag: 'iq' }, do: action })
    await sandbox.post('/answers', { match: { account, tag: 'iq', xmlns: 'w:p' }, do: 'pass' })
  }
}

/** Repeats the call as long as its rate limit refuses it. Returns the error code of the answer, or `done`. */
async function toldOf(id: string): Promise<string> {
  for (;;) {
    const answer = await (OF_A_PERSON.includes(id) ? person : operations).ask(id, inputOf(id))
    if (codeOf(answer) !== 'rate_limited') return codeOf(answer) || 'done'
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

const told = async (ids: readonly string[]): Promise<Record<string, string>> =>
  Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await toldOf(id)] as const)))

/**
 * Codes that `npm test` uses in place of all codes: a refusal, something absent, a suspended group, and a code without
 * a row.
 */
const SOME_CODES = [401, 404, 416, 429]

for (const code of amount(Object.keys(CODES).map(Number), SOME_CODES))
  test(`what the network refuses with ${code} is told by a code that the operation declares`, async () => {
    await answers({ error: [code, 'refused'] })
    assert.deepEqual(await told(ids), Object.fromEntries(ids.map((id) => [id, expected(id, code)])))
  })

/** Marks a part of the list of groups as outdated, so that the next request has to query it. */
async function openLists(): Promise<void> {
  const { sandbox } = stage.world
  const group = ['group', { jid: `${String(real.group_id).split('-')[0]}@g.us` }]
  const node = ['notification', { from: '@g.us', type: 'w:gp2', id: 'OPEN', t: '1700000000' }, [['groups_dirty', {}, [group]]]]
  const match = { account: ME, from: 'client', tag: 'ack', attrs: { id: 'OPEN' } }
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: 1, wait_ms: 0 })
  await sandbox.post('/stanzas', { phone: ME, node })
  const { complete } = await sandbox.get<{ complete: boolean }>(`/expect/${id}?wait_ms=10000`)
  assert.equal(complete, true)
}

for (const [code, expected] of READ_CODES)
  test(`a list of groups of which something is open is ${expected} where the network refuses with ${code}`, async () => {
    await openLists()
    await answers({ error: [code, 'refused'] })
    assert.deepEqual(await told(READ_LISTS), Object.fromEntries(READ_LISTS.map((id) => [id, expected])))
  })

const deadlineOf = (id: string) => asked.find((each) => each.id === id)!.deadlineMs
/** The largest difference in ms between the clocks of two threads. */
const TOLERANCE = 500

test('what the network never answers ends in send_timeout', async () => {
  await openLists()
  await answers('nothing')
  const all = [...asking, ...READ_LISTS]
  const early: string[] = []
  const waited = async (id: string) => {
    const begun = performance.now()
    const code = await toldOf(id)
    // The measured time may contain a wait for the rate limit. So it may exceed the deadline of the operation, but must
    // not be shorter.
    if (performance.now() - begun < deadlineOf(id) - TOLERANCE) early.push(id)
    return [id, code] as const
  }
  const codes = Object.fromEntries(await Promise.all(all.map(waited)))
  assert.deepEqual(codes, Object.fromEntries(all.map((id) => [id, 'send_timeout'])))
  assert.deepEqual(early, [])
})

test('what is cut off while the network is asked ends in instance_not_connected', async () => {
  const { sandbox } = stage.world
  await answers('nothing')
  const match = { account: ME, from: 'client', tag: 'iq' }
  // Operations that change the app state run one after the other. So not all operations send their queries at the same
  // time.
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: asking.length - 20, wait_ms: 0 })
  const cut = told(asking)
  const { complete } = await sandbox.get<{ complete: boolean }>(`/expect/${id}?wait_ms=20000`)
  assert.equal(complete, true)
  await sandbox.cut(ME)
  await sandbox.cut(PERSON)
  const codes = Object.entries(await cut)
  // On a busy machine, a call may arrive when the service is already connecting again. So this code is permitted, too.
  for (const [id, code] of codes) assert.ok(['instance_not_connected', 'instance_starting'].includes(code), `${id}: ${code}`)
  assert.ok(codes.filter(([, code]) => code === 'instance_not_connected').length >= asking.length - 20)
})
