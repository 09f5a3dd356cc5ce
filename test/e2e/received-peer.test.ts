/**
 * Corrupted messages of the account's own phone must be reported, and must not end the connection or delay other
 * messages. If the phone sends a complete copy on request, nothing must be reported.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { until } from '../harness/until.ts'
import { ANA, type Event, ME, startStory } from './received/story.ts'

const story = await startStory({ webhooks: { notify_sent_by_me: true } })
await story.fromAna(
  { text: 'hello' },
  { message_type: 'text', text: { message: 'hello', title: null, description: null, url: null } },
)
after(() => story.world.stop())

type Json = Record<string, unknown>
const peer = async (protocolMessage: Json, more: Json = {}) =>
  (await story.world.sandbox.post<{ id: string }>(`/phones/${ME}/peer`, { proto: { protocolMessage }, ...more })).id

const eventsOf = (id: string) =>
  story.world.receiver.events('received').filter((event) => event.message_id === id) as unknown as Event[]
const allConfirmed = () => until(story.world.sandbox.pending, (pending) => pending === 0)

/** Checks that a text of a contact arrives. By then, everything that was sent before the text has arrived. */
async function textComesThrough() {
  const { id } = await story.world.sandbox.send(ANA, ME, { text: 'still there?' })
  await story.received(id)
}

const garbage = Buffer.alloc(40, 0xff).toString('base64')
/**
 * Protocol messages in which fields are missing or malformed. No phone sends them, but the library reads them without a
 * check.
 */
const USELESS: Json[] = [
  { type: 'APP_STATE_SYNC_KEY_SHARE' },
  { type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: { keys: [{}] } },
  { type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: { keys: [{ keyId: {}, keyData: { keyData: garbage } }] } },
  { type: 'LID_MIGRATION_MAPPING_SYNC' },
  { type: 'LID_MIGRATION_MAPPING_SYNC', lidMigrationMappingSyncMessage: {} },
  { type: 'LID_MIGRATION_MAPPING_SYNC', lidMigrationMappingSyncMessage: { encodedMappingPayload: garbage } },
]
/** Complete protocol messages that have no effect. They must not be reported as corrupted. */
const HARMLESS: Json[] = [
  ...Object.keys(proto.Message.ProtocolMessage.Type)
    .filter((type) => !USELESS.some((each) => each.type === type))
    .map((type) => ({ type })),
  { type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: { keys: [{ keyId: { keyId: garbage } }] } },
  { type: 'HISTORY_SYNC_NOTIFICATION', historySyncNotification: { initialHistBootstrapInlinePayload: garbage, syncType: 3 } },
  {
    type: 'PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE',
    peerDataOperationRequestResponseMessage: {
      peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes: garbage } }],
    },
  },
]

test('what comes whole when it is asked for again is taken, and nothing of it is told', async () => {
  const keys = [{ keyId: { keyId: 'AAAAAAEx' }, keyData: { keyData: Buffer.alloc(32, 7).toString('base64') } }]
  for (const damage of ['ciphertext', 'padding', 'content']) {
    const match = { from: 'client', account: ME, tag: 'receipt', type: 'peer_msg' }
    const { id: settled } = await story.world.sandbox.post<{ id: string }>('/expect', { match, wait_ms: 0 })
    const id = await peer({ type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: { keys } }, { damage })
    const { items } = await story.world.sandbox.get<{ items: { node: [string, Json] }[] }>(`/expect/${settled}?wait_ms=15000`)
    assert.equal(items[0]?.node[1].id, id)
    await textComesThrough()
    assert.deepEqual(eventsOf(id), [])
  }
})

// An earlier bug: each of these messages ended the connection, up to five times, with pauses of minutes between the
// logins.
test('spoilt messages of the own phone cost no connection and hold up nobody; those of no use are told once', async () => {
  const match = { from: 'server', account: ME, tag: 'success' }
  const { id: login } = await story.world.sandbox.post<{ id: string }>('/expect', { match, wait_ms: 0 })
  const useless: string[] = []
  for (const each of USELESS) {
    useless.push(await peer(each))
    await textComesThrough()
  }
  const harmless = await Promise.all(HARMLESS.map((each) => peer(each)))
  await textComesThrough()
  await allConfirmed()
  const { complete } = await story.world.sandbox.get<{ complete: boolean }>(`/expect/${login}?wait_ms=0`)
  assert.equal(complete, false, 'it had to log in again')
  // When the device is unlinked, the service reports all messages that still wait for a readable copy.
  await story.world.sandbox.unlink(ME)
  await until(
    async () => useless.filter((id) => eventsOf(id).length === 0),
    (missing) => missing.length === 0,
  )
  for (const id of useless)
    assert.deepEqual(
      eventsOf(id).map(({ message_type, from_me }) => [message_type, from_me]),
      [['unsupported', true]],
    )
  assert.deepEqual(harmless.flatMap(eventsOf), [])
})
