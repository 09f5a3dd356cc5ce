import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createOutbox, type Outbox } from '../../../workers/shard/webhooks/outbox.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, webhookSettings } from '../storage/fixtures.ts'

const read = (chat: number): WebhookEvent => ({
  type: 'message_status',
  at: START,
  body: {
    status: 'read',
    ids: ['A'],
    is_group: false,
    participant_phone: null,
    participant_lid: null,
    phone: `${chat}`,
    chat_lid: `${chat}@lid`,
  },
})

async function bench(t: TestContext) {
  const store = await tempStore(t)
  let at = 0
  async function open() {
    const outbox = createOutbox({
      steps: () => {},
      instanceId: INSTANCE,
      store,
      sealer,
      clock: { now: () => START },
      steady: { now: () => performance.now() },
      webhooks: () => webhookSettings('https://example.com/hook'),
      deliver: async () => ({ ok: true, code: 200, error: null, durationMs: 1 }),
      log: recordingLog(),
      alongside(event) {
        at = event.at
        return []
      },
    })
    t.after(() => outbox.stop(0))
    await outbox.start()
    return outbox
  }
  const append = (outbox: Outbox, chat: number) => ({ ...outbox.append(read(chat)), at })
  async function commit(outbox: Outbox, events: readonly ReturnType<typeof append>[]) {
    await store.commit({ ops: [...new Map(events.flatMap(({ ops }) => ops)).entries()] })
    for (const { eventId } of events) outbox.committed(eventId)
  }
  return { open, append, commit }
}

test('a burst whose commits overlap leaves the time of each chat on disk, with two operations per event', async (t) => {
  const { open, append, commit } = await bench(t)
  const outbox = await open()
  const chats = Array.from({ length: 640 }, (_, chat) => chat)
  const told: number[] = []
  let written = 0
  let before: ReturnType<typeof append>[] = []
  for (let first = 0; first < chats.length; first += 32) {
    const group = chats.slice(first, first + 32).map((chat) => append(outbox, chat))
    for (const { at, ops } of group) {
      told.push(at)
      written += ops.filter(([key]) => key.startsWith(keys.times(INSTANCE))).length
    }
    await commit(outbox, before)
    before = group
  }
  await commit(outbox, before)
  assert.ok(written <= 2 * chats.length, `${written} operations`)
  await outbox.stop(1_000)
  const after = await open()
  const fell = chats.filter((chat) => append(after, chat).at <= told[chat]!)
  assert.deepEqual(fell, [])
})
