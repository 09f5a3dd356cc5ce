import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BinaryNode, proto } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { StorageFailure } from '../../../../src/domain/storage-failure.ts'
import { deferred } from '../../../../src/lib/deferred.ts'
import { type ChainedStore, createCommitChain } from '../../../../src/storage/commit-chain.ts'
import { createKeyCache, createKeyStore } from '../../../../workers/shard/keys/key-store.ts'
import { createAddressLocks } from '../../../../workers/shard/keys/signal/address/address-locks.ts'
import { SignalError } from '../../../../workers/shard/keys/signal/errors.ts'
import { createSeenMarks } from '../../../../workers/shard/messages/seen-marks.ts'
import { createInbox } from '../../../../workers/shard/receive/inbox/inbox.ts'
import type { InboxSession } from '../../../../workers/shard/receive/inbox/inbox-session.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until } from '../../storage/fixtures.ts'
import { ANA, stanza } from './stanza.ts'

const ME = { id: '5511999990000:7@s.whatsapp.net', lid: '81896604190000:7@lid' }

const peer = (id: string) => stanza(id, 1, { category: 'peer', from: '5511999990000@s.whatsapp.net' })
const padded = (message: proto.IMessage) => Buffer.concat([proto.Message.encode(message).finish(), Buffer.of(1)])
const HI = padded({ conversation: 'hi' })
const settle = () => new Promise((resolve) => setImmediate(resolve))

type Plaintext = Uint8Array | Error

async function bench(t: TestContext) {
  const disk = await tempStore(t)
  const translated = {
    heard: [] as string[],
    remembered: [] as string[],
    unreadable: [] as string[],
    applied: [] as string[],
    peers: [] as string[],
    steps: [] as string[],
    unreported: [] as string[],
  }
  const log = recordingLog()
  const state = { isFull: false, isNotingFull: false, writing: Promise.resolve(), answer: null as Uint8Array | null }
  const store: ChainedStore = {
    ...disk,
    chain: () => createCommitChain(store),
    async commit(batch) {
      await state.writing
      if (state.isFull) throw new StorageFailure('no space left on device')
      return disk.commit(batch)
    },
  }

  async function live() {
    const marks = createSeenMarks(INSTANCE, store, sealer)
    await marks.load()
    const inbox = createInbox({
      instance: INSTANCE,
      store,
      marks,
      sealer,
      keys: createKeyStore(INSTANCE, store, sealer, createKeyCache({ maxEntries: 100 })),
      clock: { now: () => START },
      log: log as unknown as Logger,
      translate: async () => 'plumbing',
      unreported: (reason) => void translated.unreported.push(reason),
      openAnswer: async () => state.answer,
      arrived: () => ({ ops: [], applied() {} }),
      alongside: async () => [],
      async unreadable({ id }, _, how) {
        if (state.isNotingFull) throw new StorageFailure('no space left on device')
        translated.unreadable.push(how ? `${id} ${how.protoType}` : id!)
      },
      peer: async ({ conversation }) => void translated.peers.push(conversation ?? ''),
      outbox: { append: () => assert.fail(), committed: () => assert.fail() },
      remember: ({ key }) => translated.remembered.push(key.id!),
      onMessage: ({ key }) => translated.heard.push(key.id!),
      steps: (step) => void translated.steps.push(step),
      share: () => undefined,
    })
    await inbox.load()
    return inbox
  }

  function socket(session: InboxSession) {
    const s = { isCut: false, opened: 0, apply: async () => {}, readHistory: async () => {}, plaintexts: [] as Plaintext[] }
    const locks = createAddressLocks()
    session.attach({
      me: () => ME as never,
      repository: {
        assertOpen() {},
        async turnOf({ author }) {
          const end = await locks.acquire(author)
          return {
            async decrypt() {
              const plaintext = s.plaintexts[s.opened++] ?? HI
              if (plaintext instanceof Error) throw plaintext
              return { plaintext, changes: [] }
            },
            end,
          }
        },
      },
      async storePeerKeys({ conversation }) {
        await s.apply()
        translated.applied.push(conversation ?? '')
      },
      takeHistory: () => s.readHistory(),
      settled: async () => {},
      cut() {
        s.isCut = true
      },
    })
    const begin = (node: BinaryNode) => session.take(node)
    const take = (node: BinaryNode, ...plaintexts: Plaintext[]) => {
      s.opened = 0
      s.plaintexts = plaintexts
      return session.take(node).then(({ outcome }) => outcome)
    }
    return Object.assign(s, { session, locks, begin, take })
  }

  return { translated, state, log, live, socket }
}

test('what was finished is confirmed again and means nothing any more, in this life and the next', async (t) => {
  const { translated, live, socket } = await bench(t)
  const node = stanza('A')
  const first = socket((await live()).session())
  assert.equal(await first.take(node), 'read')
  const again = socket((await live()).session())
  for (const s of [first, again]) {
    assert.equal(await s.take(node), 'read')
    assert.equal(s.opened, 0)
  }
  assert.deepEqual(translated.heard, ['A'])
})

test('a part whose other is missing is taken without its key, and both make the message', async (t) => {
  const { translated, live, socket } = await bench(t)
  const node = stanza('A', 2)
  const before = socket((await live()).session())
  // The process of this run ends between the decryption of the first part of the message and that of the second one.
  await assert.rejects(before.take(node, padded({ conversation: 'first' }), new StorageFailure('killed')))
  assert.deepEqual(translated.heard, [])
  const after = socket((await live()).session())
  assert.equal(await after.take(node, HI), 'read')
  assert.equal(after.opened, 1)
  assert.deepEqual(translated.heard, ['A'])
})

test('what opens and is no message is used up, noted as unreadable, and asked for again', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const node = stanza('A')
  assert.equal(await s.take(node, Buffer.of(0xff, 0xff, 0xff, 1)), 'unread')
  assert.deepEqual([translated.unreadable, translated.heard], [['A'], []])
  assert.equal(await s.take(node), 'read')
})

// An earlier bug: a decrypted message without valid content was recorded as processed before its event was written, so
// its event could be lost.
test('what opens and is no message is noted before anything else of it is written', async (t) => {
  const { translated, state, live, socket } = await bench(t)
  const node = stanza('A')
  state.isNotingFull = true
  await assert.rejects(socket((await live()).session()).take(node, Buffer.of(0xff, 0xff, 0xff, 1)), /no space left/)
  state.isNotingFull = false
  assert.equal(await socket((await live()).session()).take(node, Buffer.of(0xff, 0xff, 0xff, 1)), 'unread')
  assert.deepEqual(translated.unreadable, ['A'])
})

test('a message stanza without content is recorded, and the message is requested from the phone, unless it was read or never comes', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  await s.take(stanza('A'))
  const now = String(START / 1_000)
  const unavailable = (id: string, attrs: Record<string, string>, t = now): BinaryNode => ({
    ...stanza(id, 0, { t }),
    content: [{ tag: 'unavailable', attrs }],
  })
  const outcomes = []
  for (const node of [
    stanza('A', 0, { t: now }),
    stanza('B', 0, { t: now }),
    unavailable('C', { type: 'fanout' }),
    unavailable('D', { type: 'view_once' }),
    unavailable('E', { hosted: 'true' }),
    unavailable('F', { type: 'bot_unavailable_fanout' }),
    unavailable('G', { type: 'fanout' }, String(START / 1_000 - 15 * 86_400)),
  ])
    outcomes.push(await s.take(node))
  assert.deepEqual(outcomes, ['done', 'absent', 'absent', 'read', 'done', 'done', 'done'])
  assert.deepEqual(translated.unreadable, ['B', 'C', 'D', 'E', 'F', 'G'])
})

const kinds = (node: BinaryNode, ...types: string[]) => {
  for (const [index, part] of (node.content as BinaryNode[]).entries()) part.attrs.type = types[index]!
  return node
}

// An earlier bug: a message with an unknown encryption was acknowledged without an event.
test('a message with an unknown encryption is reported with its kind, and is not requested again', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const plain: BinaryNode = { ...stanza('C', 0), content: [{ tag: 'plaintext', attrs: {}, content: Buffer.from('hi') }] }
  const hollow: BinaryNode = { ...stanza('D', 0), content: [{ tag: 'enc', attrs: { type: 'msg' } }] }
  for (const node of [kinds(stanza('A'), 'frskmsg'), kinds(stanza('B'), 'msmsg'), plain, hollow])
    assert.equal(await s.take(node), 'done')
  assert.deepEqual([s.opened, translated.unreadable], [0, ['A frskmsg', 'B msmsg', 'C plaintext', 'D msg']])
})

test('beside content that opens, a part of an unknown kind changes nothing; beside a key alone it is what came', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const key = padded({ senderKeyDistributionMessage: { groupId: 'g' } })
  assert.equal(await s.take(kinds(stanza('A', 2), 'msg', 'later')), 'read')
  assert.equal(await s.take(kinds(stanza('B', 2), 'pkmsg', 'later'), key), 'done')
  assert.deepEqual([translated.heard, translated.unreadable], [['A'], ['B later']])
  assert.equal(await s.take(kinds(stanza('B', 2), 'pkmsg', 'later'), key), 'done')
})

test('an answer of a bot is opened without a session where the message it answers is known', async (t) => {
  const { translated, state, live, socket } = await bench(t)
  const s = socket((await live()).session())
  state.answer = proto.Message.encode({ conversation: 'hi' }).finish()
  const node = kinds(stanza('A'), 'msmsg')
  for (let time = 0; time < 2; time++) assert.equal(await s.take(node), 'read')
  assert.deepEqual([s.opened, translated.heard, translated.unreadable], [0, ['A'], []])
})

test('a repetition that waits for the turn of its author is not decrypted again, and nothing more follows from it', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const node = stanza('A')
  const end = await s.locks.acquire(ANA)
  const both = [s.begin(node), s.begin(structuredClone(node))]
  for (let turns = 0; turns < 3; turns++) await settle()
  assert.equal(s.opened, 0)
  end()
  const outcomes = await Promise.all(both.map(async (taken) => (await taken).outcome))
  assert.deepEqual([outcomes, s.opened], [['read', 'done'], 1])
  assert.deepEqual([translated.heard, translated.unreadable], [['A'], []])
})

test('a message that waits for its turn when the socket ends is refused, and its key is not used', async (t) => {
  const { live, socket } = await bench(t)
  const s = socket((await live()).session())
  const end = await s.locks.acquire(ANA)
  const waiting = s.take(stanza('A'))
  const refused = assert.rejects(waiting, /session closed/)
  await settle()
  s.session.fence()
  end()
  await refused
  assert.equal(s.opened, 0)
})

test('what an ended socket still hands over is refused', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  s.session.fence()
  await assert.rejects(s.take(stanza('A')), /session closed/)
  assert.deepEqual(translated.unreadable, [])
})

test('a message that cannot be written has to come again, however often, and is told of nobody', async (t) => {
  const { translated, state, live, socket } = await bench(t)
  const inbox = await live()
  const node = stanza('A')
  state.isFull = true
  for (let time = 0; time < 7; time++)
    await assert.rejects(socket(inbox.session()).take(node), /could not be written/, String(time))
  assert.deepEqual([translated.heard, translated.unreadable], [[], []])
  state.isFull = false
  assert.equal(await socket(inbox.session()).take(node), 'read')
})

test('what meets a failure of ours has to come again five times, and then counts as unreadable', async (t) => {
  const { translated, live, socket } = await bench(t)
  const inbox = await live()
  const node = stanza('A')
  const broken = new StorageFailure('cannot read the disk')
  for (let time = 0; time < 5; time++) await assert.rejects(socket(inbox.session()).take(node, broken), /cannot read/)
  assert.equal(await socket(inbox.session()).take(node, broken), 'unread')
  assert.deepEqual(translated.unreadable, ['A'])
})

// A client has really sent two messages with the same counter. The second message cannot be decrypted, and in an
// earlier bug it was never reported.
test('a ciphertext whose key was used before is unreadable like any other', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const used = new SignalError('duplicate', 'Key used already or never filled')
  for (const [id, error] of Object.entries({ A: used, B: new SignalError('unreadable', 'bad mac') })) {
    const node = stanza(id)
    assert.equal(await s.take(node, error), 'unread')
    assert.equal(s.session.problemOf(node), error.problem)
  }
  assert.deepEqual(translated.unreadable, ['A', 'B'])
})

// An earlier bug: the decryption of a text of 10 MB blocked the thread for 400 ms.
test('what is larger than any honest message is not opened: told once, not asked for; the own phone may be long', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const large = (node: BinaryNode, bytes: number): BinaryNode => ({
    ...node,
    content: [{ tag: 'enc', attrs: { type: 'msg' }, content: Buffer.alloc(bytes, node.attrs.id) }],
  })
  assert.equal(await s.take(large(stanza('A'), 2 ** 20 + 1)), 'done')
  assert.deepEqual([s.opened, translated.unreadable, translated.heard], [0, ['A'], []])
  assert.equal(await s.take(large(stanza('B'), 2 ** 20)), 'read')
  assert.equal(await s.take(large(peer('C'), 2 ** 20 + 1)), 'peer')
  assert.deepEqual([translated.unreadable, translated.heard], [['A'], ['B']])
})

test('a message that was read and comes again sealed otherwise is not asked for', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  await s.take(stanza('A'))
  assert.equal(await s.take(stanza('A'), new SignalError('unreadable', 'bad mac')), 'done')
  assert.deepEqual(translated.unreadable, [])
})

test('a status that nobody sees any more is not asked for', async (t) => {
  const { live, socket } = await bench(t)
  const s = socket((await live()).session())
  const status = (ageHours: number) =>
    stanza(`s${ageHours}`, 1, {
      from: 'status@broadcast',
      participant: ANA,
      t: String(START / 1_000 - ageHours * 3_600),
    })
  const bad = new SignalError('no_sender_key', 'none')
  assert.deepEqual([await s.take(status(23), bad), await s.take(status(25), bad)], ['unread', 'done'])
})

test('what the own phone says takes effect once the library has taken it, and after a crash in between again', async (t) => {
  const { translated, live, socket } = await bench(t)
  const node = peer('A')
  const first = socket((await live()).session())
  // The call to the library never returns, as if the process had crashed during it.
  first.apply = () => new Promise(() => {})
  assert.equal(await first.take(node), 'peer')
  assert.deepEqual(translated.peers, [])
  const next = socket((await live()).session())
  const [replayed] = await next.session.replays()
  assert.deepEqual(await next.session.replays(), [], 'once a socket')
  assert.equal(await next.take(replayed!), 'peer')
  // The network also sends the stanza again while the same message is still being handled.
  assert.equal(await next.take(node), 'peer')
  while (!translated.steps.includes('inbox:peer-settled')) await settle()
  assert.deepEqual([translated.applied, translated.peers, translated.heard, next.opened], [['hi'], ['hi'], [], 0])
  const last = socket((await live()).session())
  assert.equal(await last.take(node), 'peer')
  await settle()
  assert.deepEqual([last.opened, translated.peers], [0, ['hi']])
})

const type = (name: keyof typeof proto.Message.ProtocolMessage.Type) => proto.Message.ProtocolMessage.Type[name]

test('what the own phone says and cannot be read is asked for again, and noted under what it is', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const useless = [
    new SignalError('unreadable', 'bad mac'),
    Buffer.of(0xff, 0xff, 0xff, 1),
    padded({ protocolMessage: { type: type('APP_STATE_SYNC_KEY_SHARE') } }),
    padded({ protocolMessage: { type: type('LID_MIGRATION_MAPPING_SYNC') } }),
  ]
  for (const [index, plaintext] of useless.entries()) assert.equal(await s.take(peer(`P${index}`), plaintext), 'unread')
  await settle()
  assert.deepEqual(translated.unreadable, ['P0 msg', 'P1 msg', 'P2 msg', 'P3 msg'])
  assert.deepEqual([translated.peers, translated.applied, s.isCut], [[], [], false])
})

// An earlier bug: a message of the account's own phone that made the library fail ended the connection at each of five
// logins.
test('what the own phone says and the library fails at is put aside at once, told, and costs no connection', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  s.apply = async () => {
    throw new TypeError('cannot read properties of null')
  }
  assert.equal(await s.take(peer('A')), 'peer')
  await until(() => translated.unreadable.length > 0, 'it is told')
  s.apply = async () => {}
  assert.equal(await s.take(peer('B')), 'peer')
  await until(() => translated.steps.includes('inbox:peer-settled'), 'the one behind it')
  assert.deepEqual([translated.unreadable, s.isCut], [['A conversation'], false])
  assert.deepEqual(await socket((await live()).session()).session.replays(), [])
})

// An earlier bug: a message that triggers a defect of the service ended the connection at each of five logins.
test('an error that would happen again makes a message unreadable at once', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  assert.equal(await s.take(stanza('A'), new TypeError('cannot read properties of null')), 'unread')
  assert.deepEqual(translated.unreadable, ['A'])
})

test('an effect that fails cuts the connection: the message is taken again after the next login', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  s.apply = async () => {
    throw new StorageFailure('cannot read the disk')
  }
  assert.equal(await s.take(peer('A')), 'peer')
  while (!s.isCut) await settle()
  assert.deepEqual(translated.peers, [])
  assert.equal((await socket((await live()).session()).session.replays()).length, 1)
})

const HISTORY = padded({ protocolMessage: { type: 5, historySyncNotification: { syncType: 3, progress: 100 } } })

test('a history is read in parallel with other messages of the phone, and confirmed after it was read', async (t) => {
  const { translated, live, socket } = await bench(t)
  const s = socket((await live()).session())
  let finish: (() => void) | undefined
  s.readHistory = () =>
    new Promise<void>((resolve) => {
      finish = resolve
    })
  const settled = () => translated.steps.filter((step) => step === 'inbox:peer-settled').length
  assert.equal(await s.take(peer('A'), HISTORY), 'history')
  assert.equal(await s.take(peer('B')), 'peer')
  while (settled() === 0 || !finish) await settle()
  assert.deepEqual([translated.applied, translated.peers], [['', 'hi'], ['hi']])
  const [waiting, ...others] = await socket((await live()).session()).session.replays()
  assert.deepEqual([waiting?.attrs.id, others], ['A', []])
  finish()
  while (settled() === 1) await settle()
  assert.deepEqual(await socket((await live()).session()).session.replays(), [])
})

test('one that cannot be read now is read after the next login, and ends no connection', async (t) => {
  const { translated, log, live, socket } = await bench(t)
  const s = socket((await live()).session())
  s.readHistory = () => Promise.reject(new Error('the host is gone'))
  assert.equal(await s.take(peer('A'), HISTORY), 'history')
  while (!log.lines.some(({ message }) => message.includes('history could not be read'))) await settle()
  assert.deepEqual([s.isCut, translated.peers], [false, []])
  const next = socket((await live()).session())
  const [replayed] = await next.session.replays()
  assert.equal(await next.take(replayed!), 'history')
  while (!translated.steps.includes('inbox:peer-settled')) await settle()
  assert.deepEqual(translated.peers, [''])
})

// A listener adds the id of the app state key to the credentials. This listener is gone when the connection has ended.
test('a key of app state that is stored while the connection ends is replayed at the next login', async (t) => {
  const { translated, live, socket } = await bench(t)
  const inbox = await live()
  const first = socket(inbox.session())
  const stored = deferred()
  first.apply = () => stored.promise
  assert.equal(await first.take(peer('A')), 'peer')
  await settle()
  first.session.fence()
  stored.resolve()
  await until(() => translated.applied.length === 1, 'the key')
  for (let turns = 0; turns < 10; turns++) await settle()
  assert.equal((await socket(inbox.session()).session.replays()).length, 1)
})

// An earlier bug: a history was lost if the connection was lost five times while it was being read.
test('a history is taken again however often the connection ends meanwhile; one that fails at each login is put aside', async (t) => {
  const { translated, log, live, socket } = await bench(t)
  const inbox = await live()
  const first = socket(inbox.session())
  first.readHistory = () => new Promise(() => {})
  assert.equal(await first.take(peer('A'), HISTORY), 'history')
  first.session.fence()
  const login = async (readHistory: () => Promise<void>) => {
    const s = socket(inbox.session())
    s.readHistory = readHistory
    const nodes = await s.session.replays()
    for (const node of nodes) assert.equal(await s.take(node), 'history')
    return { s, count: nodes.length }
  }
  for (let time = 0; time < 7; time++) {
    const { s, count } = await login(() => new Promise(() => {}))
    assert.equal(count, 1, `after ${time + 1} cuts`)
    s.session.fence()
  }
  const failures = () => log.lines.filter(({ message }) => message.includes('history could not be read')).length
  for (let time = 1; time <= 5; time++) {
    const { s, count } = await login(() => Promise.reject(new Error('the host is gone')))
    assert.equal(count, 1)
    await until(() => failures() === time, 'the failure')
    s.session.fence()
  }
  assert.equal((await login(async () => {})).count, 0)
  assert.deepEqual(translated.peers, [])
})

function hold(state: { writing: Promise<void> }): () => void {
  let letGo = () => {}
  state.writing = new Promise((resolve) => {
    letGo = resolve
  })
  return letGo
}

test('the next one is opened while the one before is written, and a repetition of it waits for it', async (t) => {
  const { translated, state, live, socket } = await bench(t)
  const inbox = await live()
  const s = socket(inbox.session())
  const letGo = hold(state)
  const [a, b] = [stanza('A'), stanza('B')]
  const done: string[] = []
  for (const [name, node] of [
    ['a', a],
    ['a again', a],
    ['b', b],
  ] as const) {
    const { outcome } = await s.begin(node)
    void outcome.then((what) => done.push(`${name} ${what}`))
  }
  await settle()
  assert.deepEqual([done, translated.remembered, translated.heard], [[], ['A', 'B'], []])
  letGo()
  await until(() => done.length === 3, 'all are written')
  assert.deepEqual(
    [done.sort(), translated.heard],
    [
      ['a again read', 'a read', 'b read'],
      ['A', 'B'],
    ],
  )
})

test('when one cannot be written all behind it come again, and the next socket takes them', async (t) => {
  const { translated, state, live, socket } = await bench(t)
  const inbox = await live()
  const first = socket(inbox.session())
  const letGo = hold(state)
  state.isFull = true
  const nodes = [stanza('A'), stanza('B'), stanza('C')]
  const outcomes: Promise<unknown>[] = []
  for (const node of nodes.slice(0, 2)) {
    const { outcome } = await first.begin(node)
    outcomes.push(assert.rejects(outcome, /could not be written/))
  }
  const next = socket(inbox.session())
  const taken = next.take(nodes[0]!)
  await settle()
  assert.deepEqual([next.opened, translated.heard], [0, []])
  letGo()
  await Promise.all(outcomes)
  await assert.rejects(taken, /could not be written/)
  // The disk has space again, but the socket has already ended.
  state.isFull = false
  await assert.rejects((await first.begin(nodes[2]!)).outcome, /could not be written/)
  assert.deepEqual(translated.heard, [])
  const last = socket(inbox.session())
  for (const node of nodes) assert.equal(await last.take(node), 'read')
  assert.deepEqual(translated.heard, ['A', 'B', 'C'])
})
