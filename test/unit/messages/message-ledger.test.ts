import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WAMessage } from '@whiskeysockets/baileys'
import { DAY } from '../../../src/domain/clock.ts'
import { deferred } from '../../../src/lib/deferred.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { WEEK } from '../../../src/storage/weeks.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import type { Facet } from '../../../workers/shard/messages/facets.ts'
import { messageIdOf } from '../../../workers/shard/messages/message-id.ts'
import { createMessageLedger, type MessageLedger } from '../../../workers/shard/messages/message-ledger.ts'
import { ciphertextMark } from '../../../workers/shard/messages/seen-marks.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until } from '../storage/fixtures.ts'
import { ANA } from '../translate/inbound/context.ts'

const BEN = '5511988880002@s.whatsapp.net'
const STANZA = { to: ANA, attributes: { type: 'text' }, enc: {}, nodes: [] }
const messageContextInfo = { messageSecret: Buffer.alloc(32, 9) }
const ofAna = (id: string, message: WAMessage['message']): WAMessage => ({ key: { id, remoteJid: ANA, fromMe: false }, message })
const poll = ofAna('POLL', {
  pollCreationMessageV3: { name: 'Which day?', options: [{ optionName: 'Monday' }] },
  messageContextInfo,
})
const text = ofAna('TEXT', { conversation: 'hi', messageContextInfo })

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const bench = {
    store,
    now: START,
    log: recordingLog(),
    /** Opens the ledger as after a kill: only the data on disk are left. */
    async open(its: StateStore = store) {
      const clock = { now: () => bench.now }
      const ledger = createMessageLedger(
        { id: INSTANCE, store: its, sealer, clock, log: bench.log },
        {
          keys: createKeyStore(INSTANCE, its, sealer, createKeyCache({ maxEntries: 10 })),
          recentTotal: { messages: 0, instances: 0 },
        },
      )
      t.after(ledger.stop)
      await ledger.load()
      return ledger
    },
    async left(prefix: string) {
      let count = 0
      for await (const _ of store.range(prefix)) count++
      return count
    },
  }
  return bench
}

interface Row {
  facet: Facet
  prefix: string
  write(ledger: MessageLedger, store: StateStore): Promise<unknown>
  isKnown(ledger: MessageLedger): Promise<boolean>
  /** For `keptMs` (in ms) the ledger knows the fact. After `goneMs` (in ms) no record of the fact is left. */
  keptMs: number
  goneMs: number
}

const arrival =
  (message: WAMessage): Row['write'] =>
  async ({ arrivalOps }, store) =>
    store.commit({ ops: await arrivalOps(message) })
const send: Row['write'] = ({ sent }) => sent.put('SENT', { conversation: 'hello' }, STANZA)
const isOriginal = (id: string) => async (ledger: MessageLedger) =>
  (await ledger.original(id, { remoteJid: ANA }, async () => new Set([ANA]))) !== null
const subjectsOf = ({ levels }: MessageLedger) => [levels.subject('SENT', ANA, '')]

const ROWS: readonly Row[] = [
  {
    facet: 'sent',
    prefix: keys.sents(INSTANCE),
    write: send,
    isKnown: async ({ sent }) => (await sent.get('SENT')) !== undefined,
    keptMs: DAY - 1,
    goneMs: DAY + 1,
  },
  {
    facet: 'askedSecret',
    prefix: keys.secretsOf(INSTANCE, 'asked'),
    write: arrival(poll),
    isKnown: isOriginal('POLL'),
    keptMs: 30 * DAY - 1,
    goneMs: 60 * DAY,
  },
  {
    facet: 'saidSecret',
    prefix: keys.secretsOf(INSTANCE, 'said'),
    write: arrival(text),
    isKnown: isOriginal('TEXT'),
    keptMs: DAY - 1,
    goneMs: 2 * DAY,
  },
  {
    facet: 'ownAuthor',
    prefix: keys.authorsOf(INSTANCE, 'ours'),
    write: send,
    isKnown: ({ isOwn }) => isOwn('SENT', [ANA]),
    keptMs: 31 * DAY - 1,
    goneMs: 62 * DAY,
  },
  {
    facet: 'author',
    prefix: keys.authorsOf(INSTANCE, 'others'),
    write: arrival(text),
    isKnown: async ({ claim }) => (await claim('TEXT', [ANA], [ANA])).place === 'here',
    keptMs: 31 * DAY - 1,
    goneMs: 62 * DAY,
  },
  {
    facet: 'level',
    prefix: keys.receipts(INSTANCE),
    write: (ledger, store) => store.commit({ ops: ledger.levels.ops(subjectsOf(ledger), 3) }),
    isKnown: async (ledger) => (await ledger.levels.of(subjectsOf(ledger))) === 3,
    // Receipts of the account's own messages are accepted for this time.
    keptMs: 62 * DAY,
    goneMs: 62 * DAY + 2 * WEEK,
  },
  {
    facet: 'timeline',
    prefix: keys.timelines(INSTANCE),
    write: ({ timeline }, store) => {
      const body = { ids: ['SENT'], status: 'read' }
      return store.commit({ ops: timeline.ops({ type: 'message_status', at: START, body } as never, 'event') })
    },
    isKnown: async ({ timeline }) => (await timeline.find('SENT')).length === 1,
    keptMs: WEEK,
    goneMs: 3 * WEEK,
  },
]
const nothing = () => undefined
/** A row of the facet whose old rows are removed last. When it is gone, the old rows of all facets were removed. */
const OUTDATED = `${keys.timelineWeek(INSTANCE, 1)}outdated`

for (const { facet, prefix, write, isKnown, keptMs, goneMs } of ROWS)
  test(`${facet}: known for its term, over a restart; then it is not, and leaves the disk`, async (t) => {
    const b = await bench(t)
    await write(await b.open(), b.store)
    b.now = START + keptMs
    await b.store.commit({ ops: [[OUTDATED, Buffer.from('fact')]] })
    const during = await b.open()
    during.start(nothing)
    await until(async () => (await b.store.get(OUTDATED)) === undefined, 'the removal of old rows')
    await during.stop()
    assert.ok(await isKnown(await b.open()))
    b.now = START + goneMs
    const last = await b.open()
    assert.ok(!(await isKnown(last)))
    assert.notEqual(await b.left(prefix), 0)
    last.start(nothing)
    await until(async () => (await b.left(prefix)) === 0, 'its rows to go')
    await last.stop()
  })

test('the next account sees no message of the one before, neither on the disk nor in memory', async (t) => {
  const b = await bench(t)
  const ledger = await b.open()
  for (const { write } of ROWS) await write(ledger, b.store)
  ledger.remember(text)
  ledger.remember(poll)
  await ledger.forget()
  for (const each of [ledger, await b.open()]) {
    assert.equal(await each.get('TEXT', () => true), undefined)
    // `forget` does not delete `level` and `timeline`. Their rows are found by the id of a message or of its queue
    // item, and the next account has none of these ids. The rows are removed by age.
    for (const { facet, isKnown } of ROWS) if (facet !== 'level' && facet !== 'timeline') assert.ok(!(await isKnown(each)), facet)
  }
  for (const prefix of [keys.sents(INSTANCE), keys.secrets(INSTANCE), keys.authors(INSTANCE)])
    assert.equal(await b.left(prefix), 0, prefix)
})

test('a message whose outcome is unknown stays however old it is; a processed one is known after a restart', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  await send(before, b.store)
  await before.sent.put('OTHER', { conversation: 'hello' }, STANZA)
  const mark = ciphertextMark(Buffer.from('ciphertext'))
  await b.store.commit({ ops: before.seen.ops([mark]) })
  b.now += 2 * DAY
  const ledger = await b.open()
  assert.ok(ledger.seen.has(mark))
  ledger.start(() => 'SENT')
  await until(async () => (await b.left(keys.sents(INSTANCE))) === 1, 'the other one to go')
  await ledger.stop()
  assert.equal((await ledger.sent.get('SENT'))?.conversation, 'hello')
})

test('a timeline is found by the id of its queue item, whether the id of the message was derived from it or not', async (t) => {
  const b = await bench(t)
  const ledger = await b.open()
  const delivery = (messageId: string, svcId: string) => {
    const queued_at = new Date(START).toISOString()
    const body = { message_id: messageId, svc_id: svcId, operation: 'send.sendText', error_code: null, queued_at }
    return ledger.timeline.ops({ type: 'delivery', at: START, body } as never, null)
  }
  const derived = delivery(messageIdOf(sealer, 'NEW'), 'NEW')
  // An item that an older version queued has a message with a random id.
  const random = delivery('3EB0EE97803A91FF2C0ED1', 'OLD')
  assert.deepEqual([derived.length, random.length], [1, 2])
  await b.store.commit({ ops: [...derived, ...random] })
  for (const svcId of ['NEW', 'OLD'])
    assert.deepEqual(
      (await ledger.timeline.find(svcId)).map((fact) => fact.kind === 'end' && fact.svcId),
      [svcId],
    )
  assert.match(messageIdOf(sealer, 'NEW'), /^3EB0[0-9A-F]{18}$/)
})

test('what a message refers to is known in its chat alone, in its current form', async (t) => {
  const b = await bench(t)
  const ledger = await b.open()
  await send(ledger, b.store)
  await arrival(text)(ledger, b.store)
  ledger.remember(text)
  const original = async (of: MessageLedger, id: string, chat = ANA) =>
    await of.original(id, { remoteJid: chat }, async () => new Set([chat]))
  assert.equal((await original(ledger, 'TEXT'))?.message.conversation, 'hi')
  for (const each of [ledger, await b.open()]) {
    assert.equal((await original(each, 'SENT'))?.message.conversation, 'hello')
    for (const id of ['SENT', 'TEXT']) assert.equal(await original(each, id, BEN), null)
  }
  await ledger.deleted({ key: { id: 'SENT', remoteJid: ANA, fromMe: true } })
  for (const each of [ledger, await b.open()]) assert.equal(await original(each, 'SENT'), null)
})

test('everything that a received message has to read is asked for in one turn', async (t) => {
  const b = await bench(t)
  await arrival(poll)(await b.open(), b.store)
  await send(await b.open(), b.store)
  const asked: string[] = []
  const gate = deferred()
  let isSlow = false
  const store: StateStore = {
    ...b.store,
    async get(key) {
      if (!isSlow) return b.store.get(key)
      asked.push(key)
      await gate.promise
      return b.store.get(key)
    },
  }
  const ledger = await b.open(store)
  isSlow = true
  const ops = ledger.arrivalOps(text)
  await nextTurn()
  const inOneTurn = [...asked]
  gate.resolve()
  assert.equal((await ops).length, 2)
  assert.deepEqual(asked, inOneTurn)
  for (const prefix of [keys.authorsOf(INSTANCE, 'ours'), keys.authorsOf(INSTANCE, 'others'), keys.secrets(INSTANCE)])
    assert.ok(
      inOneTurn.some((key) => key.startsWith(prefix)),
      prefix,
    )
})
