/** The inbox of one socket, over real storage; the library is played: it hands over a stanza, then what it opened of it. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import { type BinaryNode, MISSING_KEYS_ERROR_TEXT, proto, type WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { StateStore } from '../../../src/storage/contract.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { SESSION_CLOSED, SignalError } from '../../../workers/shard/keys/signal/errors.ts'
import { createInbox } from '../../../workers/shard/receive/inbox.ts'
import type { InboxSession } from '../../../workers/shard/receive/inbox-session.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore } from '../storage/fixtures.ts'

const ME = { id: '5511999990000:7@s.whatsapp.net', lid: '81896604190000:7@lid' }
const ANA = '5511988880001@s.whatsapp.net'
const EMPTY = Uint8Array.of(1)

let ciphertexts = 0
function stanza(id: string, count = 1, attrs: Record<string, string> = {}): BinaryNode {
  const content = Array.from({ length: count }, () => ({ tag: 'enc', attrs: {}, content: Buffer.from(`c${ciphertexts++}`) }))
  return { tag: 'message', attrs: { id, from: ANA, t: '1790000000', ...attrs }, content }
}
const peer = (id: string) => stanza(id, 1, { category: 'peer', from: '5511999990000@s.whatsapp.net' })
const parts = ({ content }: BinaryNode) => (content as BinaryNode[]).map((part) => part.content as Uint8Array)
const padded = (message: proto.IMessage) => Buffer.concat([proto.Message.encode(message).finish(), Buffer.of(1)])
const HI = padded({ conversation: 'hi' })

/** One life of an instance; a socket is made by `connect`. */
async function bench(t: TestContext) {
  const disk = await tempStore(t)
  const told = { heard: [] as string[], unreadable: [] as string[], peers: [] as string[] }
  const log = recordingLog()
  const state = { isFull: false }
  const store: StateStore = {
    ...disk,
    async commit(batch) {
      if (state.isFull) throw new Error('no space left on device')
      return disk.commit(batch)
    },
  }

  async function live() {
    const inbox = createInbox({
      instance: INSTANCE,
      store,
      sealer,
      keys: createKeyStore(INSTANCE, store, sealer, createKeyCache({ maxEntries: 100 })),
      clock: { now: () => START },
      log: log as unknown as Logger,
      translate: async () => null,
      arrived: () => ({ ops: [], applied() {} }),
      alongside: async () => [],
      unreadable: ({ id }) => told.unreadable.push(id!),
      peer: async ({ conversation }) => void told.peers.push(conversation ?? ''),
      outbox: { append: () => assert.fail(), committed: () => assert.fail() },
      onMessage: ({ key }) => told.heard.push(key.id!),
      killAt() {},
    })
    await inbox.load()
    return inbox
  }

  /** What the library asks of a socket's inbox, and whether its connection was cut. */
  function socket(session: InboxSession) {
    const seen = { isCut: false, replayed: [] as BinaryNode[], line: Promise.resolve() as Promise<unknown> }
    const ws = Object.assign(new EventEmitter(), { socket: { terminate: () => (seen.isCut = true) } })
    const messageMutex = {
      mutex<T>(work: () => Promise<T>): Promise<T> {
        const done = seen.line.then(work)
        seen.line = done.catch(() => {})
        return done
      },
    }
    session.attach({ ws, messageMutex, authState: { creds: { me: ME } } } as unknown as WASocket, async () => {})
    ws.on('CB:message', (node) => seen.replayed.push(node))
    return Object.assign(session.signal, {
      seen,
      ws,
      comes: (node: BinaryNode) => ws.emit('CB:message', node),
      open: (ciphertext: Uint8Array, plaintext: Uint8Array = HI) => session.signal.opened({ ciphertext, plaintext, changes: [] }),
      /** Everything in the line of handlers has run. */
      async settled() {
        for (let line: unknown; line !== seen.line; ) {
          line = seen.line
          await line
        }
      },
    })
  }

  return { told, state, log, live, socket }
}

test('every message goes in the line of what waited while we were away', async (t) => {
  const { live, socket } = await bench(t)
  const s = socket((await live()).session())
  const [fresh, waited] = [stanza('A'), stanza('B', 1, { offline: '2' })]
  s.comes(fresh)
  s.comes(waited)
  assert.deepEqual([fresh.attrs.offline, waited.attrs.offline], ['0', '2'])
})

test('what was finished is answered with nothing, in this life and the next', async (t) => {
  const { told, live, socket } = await bench(t)
  const node = stanza('A')
  const [ciphertext] = parts(node)
  const first = socket((await live()).session())
  first.comes(node)
  assert.equal(first.admit(ciphertext!), undefined)
  await first.open(ciphertext!)
  const again = socket((await live()).session())
  for (const s of [first, again]) {
    s.comes(node)
    assert.deepEqual(s.admit(ciphertext!), EMPTY)
  }
  assert.deepEqual(told.heard, ['A'])
})

test('a part whose other is missing is answered without its key, and both make the message', async (t) => {
  const { told, live, socket } = await bench(t)
  const node = stanza('A', 2)
  const [first, second] = parts(node)
  const before = socket((await live()).session())
  before.comes(node)
  await before.open(first!, padded({ conversation: 'first' }))
  assert.deepEqual(told.heard, [])
  const after = socket((await live()).session())
  after.comes(node)
  assert.deepEqual(after.admit(first!), padded({ conversation: 'first' }))
  assert.equal(after.admit(second!), undefined)
  await after.open(second!)
  assert.deepEqual(told.heard, ['A'])
})

test('what opens and is no message is used up, and told as unreadable', async (t) => {
  const { told, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const node = stanza('A')
  const [ciphertext] = parts(node)
  s.comes(node)
  await s.open(ciphertext!, Buffer.of(0xff, 0xff, 0xff, 1))
  assert.deepEqual([told.unreadable, told.heard], [['A'], []])
  assert.deepEqual(s.admit(ciphertext!), EMPTY)
})

test('a stanza without anything to open is told as unreadable, unless its message was read', async (t) => {
  const { told, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const read = stanza('A')
  s.comes(read)
  await s.open(parts(read)[0]!)
  for (const id of ['A', 'B']) s.comes(stanza(id, 0))
  assert.deepEqual(told.unreadable, ['B'])
})

test('what an ended socket still hands over is refused', async (t) => {
  const { told, live, socket } = await bench(t)
  const session = (await live()).session()
  const s = socket(session)
  const node = stanza('A')
  const [ciphertext] = parts(node)
  s.comes(node)
  session.fence()
  assert.throws(() => s.admit(ciphertext!), { message: SESSION_CLOSED })
  s.failed({ ciphertext: ciphertext!, error: new SignalError('unreadable', 'bad mac') })
  assert.deepEqual(told.unreadable, [])
})

test('a message that cannot be written cuts the connection, and is told of nobody', async (t) => {
  const { told, state, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const node = stanza('A')
  const [ciphertext] = parts(node)
  s.comes(node)
  state.isFull = true
  await assert.rejects(s.open(ciphertext!), /could not be written/)
  assert.equal(s.seen.isCut, true)
  s.failed({ ciphertext: ciphertext!, error: new Error('the inbox could not be written') })
  assert.deepEqual([told.heard, told.unreadable], [[], []])
  assert.throws(() => s.admit(ciphertext!), { message: SESSION_CLOSED })
})

test('a failure of ours cuts the connection five times, and then the message counts as unreadable', async (t) => {
  const { told, live, socket } = await bench(t)
  const inbox = await live()
  const node = stanza('A')
  const [ciphertext] = parts(node)
  const isCut: boolean[] = []
  for (let time = 0; time < 6; time++) {
    const s = socket(inbox.session())
    s.comes(node)
    s.failed({ ciphertext: ciphertext!, error: new Error('cannot read the disk') })
    isCut.push(s.seen.isCut)
  }
  assert.deepEqual(isCut, [true, true, true, true, true, false])
  assert.deepEqual(told.unreadable, ['A'])
})

test('a ciphertext that was used before says nothing about its message; any other that does not open is unreadable', async (t) => {
  const { told, live, socket } = await bench(t)
  const s = socket((await live()).session())
  const used = new SignalError('duplicate', MISSING_KEYS_ERROR_TEXT)
  for (const [id, error] of Object.entries({ A: used, B: new SignalError('unreadable', 'bad mac') })) {
    const node = stanza(id)
    s.comes(node)
    s.failed({ ciphertext: parts(node)[0]!, error })
  }
  assert.deepEqual([told.unreadable, s.seen.isCut], [['B'], false])
})

test('what the own phone says takes effect once the library has taken it, and after a crash in between again', async (t) => {
  const { told, live, socket } = await bench(t)
  const node = peer('A')
  const [ciphertext] = parts(node)
  const first = socket((await live()).session())
  first.comes(node)
  // The crash: nothing in the line runs any more.
  first.seen.line = new Promise(() => {})
  await first.open(ciphertext!)
  assert.deepEqual(told.peers, [])
  const next = socket((await live()).session())
  next.ws.emit('CB:ib,,offline_preview')
  while (next.seen.replayed.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const [replayed] = parts(next.seen.replayed[0]!)
  assert.deepEqual(next.admit(replayed!), HI)
  await next.settled()
  assert.deepEqual([told.peers, told.heard], [['hi'], []])
  const last = socket((await live()).session())
  last.comes(node)
  assert.deepEqual(last.admit(ciphertext!), EMPTY)
})
