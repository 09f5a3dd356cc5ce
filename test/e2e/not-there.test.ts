/**
 * A group or channel may be absent for an account because it never existed, or because the account was never in it or
 * has left it. An operation or a send that requires it must answer with the same code in all these cases.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { endpoints } from '../../src/features/index.ts'
import * as files from '../harness/media-files.ts'
import { type Operations, operationsOf } from '../harness/operations.ts'
import { chatOf } from '../harness/places.ts'
import { type Json, type Stage, startStage } from '../harness/stage.ts'
import { notThere } from './not-there.ts'

const ME = '5511999990031'
const ANA = '5511988880031'

let stage: Stage
let operations: Operations
let picture: string
/** Ids of groups: one that does not exist, one of other people, and two that the account is no longer in. */
let groups: string[]
let communities: string[]
let channels: string[]
/** A message that the service has stored, so that sends can forward it. */
let forwarded: Json

before(async () => {
  stage = await startStage(ME)
  operations = operationsOf(stage)
  const { sandbox } = stage.world
  await sandbox.createContact(ANA, { name: 'Ana' })
  picture = (await files.image('jpeg', 200, 200)).toString('base64')
  const group = async (participants: string[]) =>
    (await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, ...participants] })).id
  const removed = await group([ME])
  // This query makes the service store data about the group. The data are outdated when the account has been removed.
  await operations.must('groups.metadata', { group_id: chatOf(removed) })
  await sandbox.post(`/groups/${removed}/participants`, { by: ANA, action: 'remove', phones: [ME] })
  const left = await group([ME])
  await operations.must('groups.leave', { group_id: chatOf(left) })
  groups = ['120363000000000000-group', chatOf(await group([])), chatOf(removed), chatOf(left)]
  const community = async (participants: string[]) =>
    sandbox.post<{ id: string; announcement_id: string }>('/communities', { owner: ANA, name: 'Customers', participants })
  communities = ['120363000000000001-group', chatOf((await community([])).id)]
  const channel = async (subscribers: string[]) =>
    (await sandbox.post<{ id: string }>('/newsletters', { owner: ANA, name: 'News', subscribers })).id
  forwarded = { message_id: (await stage.shown('/send-text', { phone: ANA, message: 'Hello' })).id, message_phone: ANA }
  const unfollowed = await channel([ME])
  await operations.must('newsletters.unfollow', { newsletter_id: unfollowed })
  channels = ['120363000000000002@newsletter', await channel([]), unfollowed]
})
after(() => stage.world.stop())

const example = (id: string): Json => ({ ...endpoints.find((each) => each.id === id)!.examples[0]?.input })
const rest = (id: string): Json => {
  const input = example(id)
  return {
    ...input,
    ...(id.endsWith('Photo') && 'value' in input ? { value: picture } : {}),
    ...('phones' in input ? { phones: [ANA] } : {}),
    ...('phone' in input ? { phone: ANA } : {}),
  }
}
const about = (field: string) => endpoints.filter(({ kind, fields }) => kind === 'action' && field in fields).map(({ id }) => id)

test('every operation on a group', async () => {
  for (const operation of about('group_id'))
    for (const group_id of groups)
      assert.equal(
        await operations.refused(operation, { ...rest(operation), group_id }),
        notThere('group_id'),
        `${operation} ${group_id}`,
      )
})

test('every operation on a community', async () => {
  for (const operation of about('community_id'))
    for (const community_id of communities)
      assert.equal(
        await operations.refused(operation, { ...rest(operation), community_id }),
        notThere('community_id'),
        `${operation} ${community_id}`,
      )
})

/**
 * Operations on channels that do not require a role in the channel: to read it, to follow it, and to unfollow it (also
 * without following it).
 */
const FOR_ANYBODY = ['metadata', 'messages', 'follow', 'unfollow'].map((verb) => `newsletters.${verb}`)

test('every operation on a channel', async () => {
  for (const operation of about('newsletter_id').filter((id) => id.startsWith('newsletters.')))
    for (const newsletter_id of FOR_ANYBODY.includes(operation) ? channels.slice(0, 1) : channels) {
      const input = {
        ...rest(operation),
        ...(operation === 'newsletters.updatePicture' ? { value: picture } : {}),
        newsletter_id,
      }
      assert.equal(await operations.refused(operation, input), notThere('newsletter_id'), `${operation} ${newsletter_id}`)
    }
})

/**
 * The flags of a chat (such as archived or muted) belong to the account, so they can still be changed for a group that
 * it has left. The expiration requires membership, so it is tested with all groups.
 */
test('what is done with the chat of a group that the account was never in', async () => {
  for (const { id, kind, fields } of endpoints) {
    if (kind !== 'action' || !('phone' in fields) || !/^(chats|labels)\./.test(id) || id.startsWith('labels.')) continue
    for (const phone of groups.slice(0, 2))
      assert.equal(await operations.refused(id, { ...example(id), phone }), 'chat_not_found', `${id} ${phone}`)
  }
  for (const phone of groups)
    assert.equal(await operations.refused('chats.expiration', { phone, value: 0 }), 'chat_not_found', phone)
})

const withFiles = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withFiles)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, withFiles(each)]))
  return typeof value === 'string' && value.startsWith('https://cdn.example/') ? picture : value
}

/**
 * Sends that are not tested with a missing channel. The service only notices that a channel is missing when the network
 * refuses the post, and these sends fail before that.
 */
const NOT_PUBLISHED = ['sendAudio', 'sendVideo', 'sendGif', 'sendReaction', 'removeReaction'].map((name) => `send.${name}`)

function sendsTo(phone: string): [id: string, input: Json][] {
  return endpoints.flatMap(({ id, kind, fields, examples, input }) => {
    if (kind !== 'send' || !('phone' in fields)) return []
    if (phone.endsWith('@newsletter') && NOT_PUBLISHED.includes(id)) return []
    const given = { ...(withFiles(examples[0]?.input) as Json), ...(id === 'send.forwardMessage' ? forwarded : {}), phone }
    return input.safeParse(given).success ? [[id, given] as [string, Json]] : []
  })
}

async function outcomes(phone: string): Promise<Record<string, unknown>> {
  const found: [string, unknown][] = []
  for (const [id, input] of sendsTo(phone)) {
    const { message_id } = await operations.must(id, input)
    const { status, error_code } = await stage.deliveryOf(String(message_id))
    found.push([id, status === 'failed' ? error_code : status])
  }
  return Object.fromEntries(found)
}

const all = (phone: string, code: string) => Object.fromEntries(sendsTo(phone).map(([id]) => [id, code]))

test('every kind of send to a group', async () => {
  for (const phone of groups) assert.deepEqual(await outcomes(phone), all(phone, 'group_not_found'), phone)
})

test('every kind of send to a channel', async () => {
  for (const phone of channels) assert.deepEqual(await outcomes(phone), all(phone, 'newsletter_not_found'), phone)
})
