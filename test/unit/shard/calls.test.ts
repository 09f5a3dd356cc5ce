/** Calls that ring, over a real store: what is left of them after a restart. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import { createLog } from '../../../src/log.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { createCalls } from '../../../workers/shard/calls.ts'
import type { Session } from '../../../workers/shard/session.ts'
import { ANA } from '../inbound/context.ts'
import { INSTANCE, START, sealer, tempStore, until } from '../storage/fixtures.ts'

const stanza = (tag: string, id: string, more: Record<string, string> = {}): BinaryNode => ({
  tag: 'call',
  attrs: { from: ANA, t: String(START / 1_000) },
  content: [{ tag, attrs: { 'call-id': id, 'call-creator': ANA, ...more } }],
})

/** One life of the instance over this store. */
async function live(store: StateStore, settings = DEFAULT_SETTINGS) {
  const answered: string[] = []
  const told: unknown[] = []
  const calls = createCalls({
    instance: INSTANCE,
    store,
    sealer,
    clock: { now: () => START },
    log: createLog('silent', 'test'),
    settings: () => settings,
    async told(_, { block }) {
      told.push(block)
      return null
    },
    async once(_, make, ops = []) {
      await make()
      await store.commit({ ops })
    },
    async enqueue(_, text) {
      answered.push(text)
    },
  })
  await calls.load()
  return { calls, told, answered }
}

const session = {} as Session

async function ringing(store: StateStore) {
  const found: string[] = []
  for await (const [key] of store.range(keys.calls(INSTANCE))) found.push(key)
  return found.length
}

/** The offer in one life, the end in the next. */
async function missed(t: TestContext, id: string) {
  const store = await tempStore(t)
  await (await live(store)).calls.take(stanza('offer', id), session)
  assert.equal(await ringing(store), 1)
  const { calls, told } = await live(store)
  await calls.take(stanza('terminate', id), session)
  assert.equal(await ringing(store), 0)
  return told
}

// Its record was refused, the connection cut, and the call came again, for ever.
test('a call is told whatever its id is', async (t) => {
  for (const id of ['3EB0A', 'a/b ?', 'ü', 'x'.repeat(5_000)]) assert.equal((await missed(t, id)).length, 1, id.slice(0, 10))
})

test('an offer that comes twice is rejected and answered once, and one that comes after the end does not ring', async (t) => {
  const store = await tempStore(t)
  const settings = { ...DEFAULT_SETTINGS, call_reject_auto: true, call_reject_message: 'Please write.' }
  const { calls, told, answered } = await live(store, settings)
  let rejected = 0
  const answering = { ended: new AbortController().signal, sock: { rejectCall: async () => ++rejected } }
  const take = (node: BinaryNode) => calls.take(node, answering as unknown as Session)
  await take(stanza('offer', '3EB0A'))
  await take(stanza('offer', '3EB0A'))
  await until(() => answered.length > 0, 'the answer')
  await take(stanza('offer', '3EB0A'))
  await take(stanza('terminate', '3EB0B', { reason: 'timeout' }))
  await take(stanza('offer', '3EB0B'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([rejected, answered, told.length, await ringing(store)], [1, ['Please write.'], 2, 0])
})
