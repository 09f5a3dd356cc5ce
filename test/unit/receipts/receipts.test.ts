/** Receipts on their way to the library. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { createMessageStatuses } from '../../../workers/shard/receipts/message-status.ts'
import { attachReceipts } from '../../../workers/shard/receipts/receipts.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

type Session = Parameters<typeof attachReceipts>[0]
type Deps = Parameters<typeof createMessageStatuses>[0]

// The ack of what is sent again has the same id: it could be taken for that of the first.
test('a message that is still being sent is not sent again before that has come to its end', async (t) => {
  const ws = new EventEmitter()
  const passed: string[] = []
  ws.on('CB:receipt', ({ attrs }) => passed.push(attrs.id))
  const clock = { now: Date.now }
  const log = recordingLog() as unknown as Deps['log']
  const store = await tempStore(t)
  const statuses = createMessageStatuses({
    instance: INSTANCE,
    store,
    sealer,
    outbox: {} as Deps['outbox'],
    clock,
    log,
    undecided: () => undefined,
    killAt() {},
  })
  attachReceipts({ sock: { ws }, me: undefined } as unknown as Session, {
    statuses,
    authorship: { isOwn: async () => true },
    clock,
    log,
  })
  const asks = (id: string) =>
    ws.emit('CB:receipt', { tag: 'receipt', attrs: { id, type: 'retry', from: '1@lid' }, content: [{ tag: 'retry', attrs: {} }] })
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  asks('before')
  statuses.hold('A')
  asks('A')
  await settle()
  assert.deepEqual(passed, ['before'])
  statuses.release('A')
  await settle()
  assert.deepEqual(passed, ['before', 'A'])
})
