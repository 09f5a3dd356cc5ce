import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { HOUR } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import { createLog } from '../../../src/log.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Session } from '../../../workers/shard/chats/session.ts'
import { createCalls } from '../../../workers/shard/receive/calls.ts'
import { askOver } from '../connection/asking.ts'
import { INSTANCE, START, sealer, tempStore, until } from '../storage/fixtures.ts'
import { ANA, ANA_LID } from '../translate/inbound/context.ts'

const stanza = (tag: string, id: string, more: Record<string, string> = {}): BinaryNode => ({
  tag: 'call',
  attrs: { from: ANA, t: String(START / 1_000) },
  content: [{ tag, attrs: { 'call-id': id, 'call-creator': ANA, ...more } }],
})

async function live(
  store: StateStore,
  settings = DEFAULT_SETTINGS,
  { time = { now: START }, crashAtEnd = false, canQueue = true, onAnswer = (_: string) => {} } = {},
) {
  const answered: string[] = []
  const translated: { call: unknown; timestamp: unknown; answered: number }[] = []
  /** Idempotency keys of the queued items. As in the real queue, there is at most one item for each key. */
  const queued = new Set<string>()
  const context = { id: INSTANCE, store, sealer, clock: { now: () => time.now }, log: createLog({ level: 'silent' }, 'test') }
  const calls = createCalls(context, {
    settings: () => settings,
    async translated({ messageTimestamp: timestamp }, { content }) {
      translated.push({ call: 'call' in content ? content.call : undefined, timestamp, answered: answered.length })
      return null
    },
    async once(_, make, ops = []) {
      if (crashAtEnd) throw new Error('the service ended')
      await make()
      await store.commit({ ops })
    },
    async enqueue({ from }, text, key) {
      onAnswer(from)
      if (!canQueue) throw new Failure('queue_full')
      if (!queued.has(key)) answered.push(text)
      queued.add(key)
    },
  })
  await calls.load()
  return { calls, translated, answered }
}

const session = {} as Session
const rejecting = { ...DEFAULT_SETTINGS, call_reject_auto: true, call_reject_message: 'Please write.' }
const answering = (onReject = async () => {}) => {
  const query = async () => {
    await onReject()
    return { tag: 'iq', attrs: { type: 'result' } }
  }
  return { ask: askOver({ query }) } as unknown as Session
}

async function ringing(store: StateStore) {
  const found: string[] = []
  for await (const [key] of store.range(keys.calls(INSTANCE))) found.push(key)
  return found.length
}

async function missed(t: TestContext, id: string) {
  const store = await tempStore(t)
  await (await live(store)).calls.take(stanza('offer', id), session)
  assert.equal(await ringing(store), 1)
  const { calls, translated } = await live(store)
  await calls.take(stanza('terminate', id), session)
  assert.equal(await ringing(store), 0)
  return translated
}

// In an earlier bug, the record of a call with an unusual id was refused. So the connection ended, and the network sent
// the call again, endlessly.
test('a call is told whatever its id is', async (t) => {
  for (const id of ['3EB0A', 'a/b ?', 'ü', 'x'.repeat(5_000)]) assert.equal((await missed(t, id)).length, 1, id.slice(0, 10))
})

test('an offer that comes twice is rejected and answered once, and one that comes after the end does not ring', async (t) => {
  const store = await tempStore(t)
  const { calls, translated, answered } = await live(store, rejecting)
  let rejected = 0
  const network = answering(async () => void ++rejected)
  const take = (node: BinaryNode) => calls.take(node, network)
  await take(stanza('offer', '3EB0A'))
  await take(stanza('offer', '3EB0A'))
  await until(() => answered.length > 0, 'the answer')
  await take(stanza('offer', '3EB0A'))
  await take(stanza('terminate', '3EB0B', { reason: 'timeout' }))
  await take(stanza('offer', '3EB0B'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([rejected, answered, translated.length, await ringing(store)], [1, ['Please write.'], 2, 0])
  assert.equal(translated[0]?.answered, 1)
})

// An earlier bug: the text was queued only after the commit that removed the call, so a crash between these two steps
// lost the text.
test('the text after a rejected call is queued before the event of the call, and once however often its end comes', async (t) => {
  const store = await tempStore(t)
  const crashed = await live(store, rejecting, { crashAtEnd: true })
  await crashed.calls.take(stanza('offer', '3EB0A'), answering())
  await until(() => crashed.answered.length > 0, 'the answer')
  assert.equal(await ringing(store), 1)
  // The service ends before it has handled the end of the call, so the network will report this end again. The call
  // must stay stored until then.
  await assert.rejects(async () => crashed.calls.take(stanza('terminate', '3EB0A'), answering()), /the service ended/)
  assert.deepEqual(crashed.answered, ['Please write.'])
})

test('an end that comes while a rejected call is being told says that it was rejected', async (t) => {
  const store = await tempStore(t)
  const { calls, translated, answered } = await live(store, rejecting)
  const network = answering(async () => {
    setImmediate(() => void calls.take(stanza('terminate', '3EB0A'), network))
  })
  await calls.take(stanza('offer', '3EB0A'), network)
  await until(async () => translated.length > 0 && (await ringing(store)) === 0, 'the event')
  for (const { call } of translated) assert.equal((call as { auto_rejected: boolean }).auto_rejected, true)
  assert.deepEqual(answered, ['Please write.'])
})

// An earlier bug: a rejected call stayed in the list of ringing calls for a day, because the network does not report
// its end.
test('a call whose rejection had no answer is rejected again after the next login, and told once', async (t) => {
  const store = await tempStore(t)
  const cut = { ask: () => Promise.reject(new Failure('instance_not_connected')) } as unknown as Session
  const killed = await live(store, rejecting)
  await killed.calls.take(stanza('offer', '3EB0A'), cut)
  await killed.calls.take(stanza('offer', '3EB0B'), cut)
  const { calls, translated, answered } = await live(store, rejecting)
  // The first call arrives again, and its rejection has no answer again. The second call is answered on a phone.
  await calls.take(stanza('offer', '3EB0A'), cut)
  const network = answering(async () => calls.take(stanza('accept', '3EB0B'), network))
  calls.resume(network)
  await until(async () => translated.length > 0 && (await ringing(store)) === 0, 'the event')
  assert.deepEqual(
    translated.map(({ call }) => (call as { call_id: string; auto_rejected: boolean }).auto_rejected),
    [true],
  )
  assert.deepEqual(answered, ['Please write.'])
  calls.resume(network)
  await calls.take(stanza('offer', '3EB0A'), network)
  assert.equal(translated.length, 1)
})

test('a rejected call is told although no text can be queued', async (t) => {
  const store = await tempStore(t)
  const { calls, translated } = await live(store, rejecting, { canQueue: false })
  await calls.take(stanza('offer', '3EB0A'), answering())
  await until(() => translated.length > 0, 'the event')
  await until(async () => (await ringing(store)) === 0, 'the end of the record')
})

// An earlier bug: a call without a valid time got the time 1970 or an invalid one. After a restart, the record of the
// call was treated as old or could not be read.
test('a call whose offer carries no time, or none that is one, is of the moment it came', async (t) => {
  for (const time of [undefined, '', 'soon', '-1', '0', '1e400', '1.5']) {
    const store = await tempStore(t)
    const { attrs, ...offer } = stanza('offer', '3EB0A')
    const { t: _, ...untimed } = attrs
    const timed = time === undefined ? untimed : { ...untimed, t: time }
    await (await live(store)).calls.take({ ...offer, attrs: timed }, session)
    const { calls, translated } = await live(store)
    await calls.take(stanza('terminate', '3EB0A'), session)
    assert.deepEqual(
      translated.map(({ timestamp }) => timestamp),
      [START / 1_000],
      time,
    )
  }
})

test('calls whose end is never said go with the day, while the service runs, and with the device', async (t) => {
  const store = await tempStore(t)
  const time = { now: START }
  const { calls, translated } = await live(store, DEFAULT_SETTINGS, { time })
  await calls.take(stanza('offer', '3EB0A'), session)
  time.now += 23 * HOUR
  const { attrs, ...offer } = stanza('offer', '3EB0B')
  await calls.take({ ...offer, attrs: { ...attrs, t: String(time.now / 1_000) } }, session)
  assert.equal(await ringing(store), 2)
  time.now += 2 * HOUR
  await calls.take({ ...stanza('offer', '3EB0C'), attrs: { ...attrs, t: String(time.now / 1_000) } }, session)
  assert.equal(await ringing(store), 2)
  await calls.forget()
  assert.equal(await ringing(store), 0)
  for (const id of ['3EB0A', '3EB0B', '3EB0C']) await calls.take(stanza('terminate', id), session)
  assert.equal(translated.length, 0)
})

// An earlier bug: the name of the caller was read from a field that the caller writes. So the text after the call went
// to any person whom the caller named.
test('a call is of who sends it, whoever it names', async (t) => {
  const store = await tempStore(t)
  const answered: string[] = []
  const { calls } = await live(store, rejecting, { onAnswer: (from) => answered.push(from) })
  const forged = (id: string, creator: string, more: Record<string, string> = {}): BinaryNode => ({
    tag: 'call',
    attrs: { from: ANA, t: String(START / 1_000), ...more },
    content: [{ tag: 'offer', attrs: { 'call-id': id, 'call-creator': creator } }],
  })
  await calls.take(forged('3EB0A', '5511977776666@s.whatsapp.net'), answering())
  await calls.take(forged('3EB0B', '5511977776666:0@lid'), answering())
  await calls.take(forged('3EB0C', `${ANA_LID.replace('@', ':3@')}`, { sender_lid: ANA_LID }), answering())
  await until(() => answered.length === 3, 'the answers')
  assert.deepEqual(answered.sort(), [ANA, ANA, ANA_LID].sort())
})
