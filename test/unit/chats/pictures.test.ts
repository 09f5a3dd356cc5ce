import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Boom } from '@hapi/boom'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { createPictures } from '../../../workers/shard/chats/pictures.ts'
import type { Session } from '../../../workers/shard/chats/session.ts'
import { askOver } from '../connection/asking.ts'
import { recordingLog, START } from '../storage/fixtures.ts'

const LID = '81896604190001@lid'
const TOKEN: BinaryNode = { tag: 'tctoken', attrs: {} }
const NUMBER = '5511988880001@s.whatsapp.net'
const ANA = [LID, NUMBER]
const CHANNEL = '120363166555745933@newsletter'
const url = (name: string, expiresAt?: number) =>
  `https://pps.example/${name}.jpg${expiresAt === undefined ? '' : `?ccb=1&oe=${Math.floor(expiresAt / SECOND).toString(16)}`}`
const person = (number: number) => [`${number}@s.whatsapp.net`]

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START })
  const asked: string[] = []
  const channels: string[] = []
  const scene = {
    asked,
    channels,
    answer: async (jid: string): Promise<string | undefined> => url(jid),
    isRestricted: false,
    async after(ms: number) {
      await settled()
      t.mock.timers.tick(ms)
      await settled()
    },
    connect() {
      const ending = new AbortController()
      const ev = new EventEmitter()
      const state = { isOpen: true }
      const session = {
        get isOpen() {
          return state.isOpen
        },
        ended: ending.signal,
        isRestricted: () => scene.isRestricted,
        tokens: { forPicture: async () => [TOKEN] },
        identity: { person: async () => ({ phone: '5511988880001', lid: LID }) },
        ask: askOver(
          {
            async query({ attrs: { target = '' }, content }: BinaryNode): Promise<BinaryNode> {
              assert.deepEqual(content, [{ tag: 'picture', attrs: { type: 'preview', query: 'url' }, content: [TOKEN] }])
              asked.push(target)
              const url = await scene.answer(target)
              const picture: BinaryNode = { tag: 'picture', attrs: url === undefined ? {} : { url } }
              return { tag: 'iq', attrs: { type: 'result' }, content: [picture] }
            },
          },
          ending.signal,
        ),
      } as unknown as Session
      pictures.attach(session)
      return {
        ev,
        end() {
          state.isOpen = false
          ending.abort()
        },
      }
    },
  }
  const pictures = createPictures({
    clock: { now: () => Date.now() },
    log: recordingLog() as unknown as Logger,
    host: 'pps.example',
    askNewsletter: (jid) => channels.push(jid),
  })
  return { ...scene, scene, pictures }
}

async function settled() {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
}

const refusal = (code: number) => new Boom('refused', { data: code })

test('a chat is asked about once until the day is over, however many messages come', async (t) => {
  const { pictures, asked, connect, after } = scene(t)
  connect()
  assert.equal(pictures.of(ANA), null)
  for (let count = 0; count < 20; count++) pictures.prefetch(ANA, 'chat')
  await after(MINUTE)
  assert.equal(pictures.of(ANA), url(LID))
  pictures.prefetch(ANA, 'chat')
  await after(DAY - 2 * MINUTE)
  pictures.prefetch(ANA, 'chat')
  await after(0)
  assert.deepEqual(asked, [LID])
  assert.equal(pictures.of(ANA), url(LID))
  await after(2 * MINUTE)
  assert.equal(pictures.of(ANA), null)
  pictures.prefetch(ANA, 'chat')
  await after(0)
  assert.deepEqual(asked, [LID, LID])
})

test('an address counts as long as it says itself', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  connect()
  network.answer = async () => url('ana', START + 10 * DAY)
  pictures.prefetch(ANA, 'chat')
  await after(10 * DAY - SECOND)
  pictures.prefetch(ANA, 'chat')
  assert.equal(pictures.of(ANA), url('ana', START + 10 * DAY))
  await after(SECOND)
  assert.equal(pictures.of(ANA), null)
  pictures.prefetch(ANA, 'chat')
  await after(0)
  assert.equal(asked.length, 2)
})

// The URL in this answer has already expired. It must not cause a new query for each message.
test('an address that has expired when it comes is not shown, and not asked for again at once', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  connect()
  network.answer = async () => url('ana', START - DAY)
  pictures.prefetch(ANA, 'chat')
  await after(HOUR - SECOND)
  assert.equal(pictures.of(ANA), null)
  pictures.prefetch(ANA, 'chat')
  await after(SECOND)
  assert.equal(asked.length, 1)
  pictures.prefetch(ANA, 'chat')
  await after(0)
  assert.equal(asked.length, 2)
})

for (const code of [401, 404])
  test(`that there is no picture to see (${code}) is remembered for a day`, async (t) => {
    const { pictures, scene: network, asked, connect, after } = scene(t)
    connect()
    network.answer = () => Promise.reject(refusal(code))
    pictures.prefetch(ANA, 'chat')
    await after(DAY - SECOND)
    pictures.prefetch(ANA, 'chat')
    await after(SECOND)
    assert.equal(asked.length, 1)
    pictures.prefetch(ANA, 'chat')
    await after(0)
    assert.equal(asked.length, 2)
  })

test('an address that is too long, or none, is null and never cut', async (t) => {
  const { pictures, scene: network, connect, after } = scene(t)
  connect()
  const long = `https://pps.example/${'a'.repeat(2_048 - 'https://pps.example/'.length)}`
  for (const [index, given] of [`${long}a`, 'ftp://pps.example/a', 'no address', '', undefined].entries()) {
    network.answer = async () => given
    pictures.prefetch(person(index + 1), 'chat')
    await after(SECOND)
    assert.equal(pictures.of(person(index + 1)), null)
  }
  network.answer = async () => long
  pictures.prefetch(person(9), 'chat')
  await after(SECOND)
  assert.equal(pictures.of(person(9)), long)
})

test('number and LID are one person', async (t) => {
  const { pictures, asked, connect, after } = scene(t)
  connect()
  pictures.prefetch([NUMBER], 'chat')
  await after(SECOND)
  pictures.prefetch(ANA, 'author')
  assert.equal(pictures.of(ANA), url(NUMBER))
  await after(SECOND)
  assert.equal(pictures.of([LID]), url(NUMBER))
  assert.deepEqual(asked, [NUMBER])
})

test('questions are a second apart and one at a time, and what is too much is dropped', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  connect()
  let answerFirst = (_: string) => {}
  network.answer = () => new Promise((resolve) => (answerFirst = resolve))
  for (let number = 1; number <= 200; number++) pictures.prefetch(person(number), 'chat')
  await after(5 * SECOND)
  assert.equal(asked.length, 1)
  network.answer = async (jid) => url(jid)
  answerFirst(url('first'))
  await after(0)
  assert.equal(asked.length, 2)
  await after(SECOND - 1)
  assert.equal(asked.length, 2)
  await after(1)
  assert.equal(asked.length, 3)
  for (let second = 0; second < 200; second++) await after(SECOND)
  assert.equal(asked.length, 51)
  // The query of this picture was dropped. So the person's next message must cause another query.
  pictures.prefetch(person(200), 'chat')
  await after(SECOND)
  assert.equal(asked.at(-1), person(200)[0])
})

test('of authors ten an hour are asked about, of chats two hundred', async (t) => {
  const { pictures, asked, connect, after } = scene(t)
  connect()
  for (let number = 1; number <= 100; number++) {
    pictures.prefetch(person(number), 'author')
    await after(SECOND)
  }
  assert.equal(asked.length, 10)
  for (let number = 1_001; number <= 1_500; number++) {
    pictures.prefetch(person(number), 'chat')
    await after(SECOND)
  }
  // The budget of 200 queries per hour grows evenly. So the 500 seconds of this test allow 28 more queries.
  assert.ok(asked.length - 10 >= 200 && asked.length - 10 <= 228, `${asked.length - 10}`)
})

test('what the connection did not answer any more is asked in the next one', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  const first = connect()
  network.answer = () => new Promise(() => {})
  pictures.prefetch(ANA, 'chat')
  pictures.prefetch(person(2), 'chat')
  await after(0)
  first.end()
  await after(SECOND)
  pictures.prefetch(ANA, 'chat')
  assert.equal(asked.length, 1)
  network.answer = async (jid) => url(jid)
  connect()
  pictures.prefetch(ANA, 'chat')
  pictures.prefetch(person(2), 'chat')
  await after(SECOND)
  assert.deepEqual(asked, [LID, LID, ...person(2)])
})

test('a change is forgotten under both names, and an answer from before it does not count', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  connect()
  let answer = (_: string) => {}
  network.answer = () => new Promise((resolve) => (answer = resolve))
  pictures.prefetch(ANA, 'chat')
  await after(0)
  pictures.prefetch(ANA, 'chat')
  await after(SECOND)
  assert.equal(asked.length, 1)
  await pictures.changed(NUMBER)
  answer(url('before'))
  await after(0)
  assert.equal(pictures.of(ANA), null)
  network.answer = async () => url('after')
  pictures.prefetch(ANA, 'chat')
  await after(SECOND)
  assert.equal(pictures.of(ANA), url('after'))
  await pictures.changed(NUMBER)
  await after(0)
  assert.equal(pictures.of([LID]), null)
})

test('a change told by number is that of the person known by LID', async (t) => {
  const { pictures, connect, after } = scene(t)
  connect()
  pictures.prefetch([LID], 'chat')
  await after(0)
  assert.equal(pictures.of([LID]), url(LID))
  await pictures.changed(NUMBER)
  await after(0)
  assert.equal(pictures.of([LID]), null)
})

test('when the network says that it is too much, nothing is asked for an hour', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  connect()
  network.answer = () => Promise.reject(refusal(429))
  pictures.prefetch(ANA, 'chat')
  pictures.prefetch(person(2), 'chat')
  await after(MINUTE)
  for (const who of [ANA, person(2), person(3)]) pictures.prefetch(who, 'chat')
  await after(HOUR - MINUTE)
  assert.equal(asked.length, 1)
  network.answer = async (jid) => url(jid)
  for (const who of [ANA, person(2)]) pictures.prefetch(who, 'chat')
  await after(SECOND)
  assert.deepEqual(asked, [LID, LID, ...person(2)])
})

test('nothing is asked while the network restricts the account, and nothing about lists and statuses ever', async (t) => {
  const { pictures, scene: network, asked, connect, after } = scene(t)
  connect()
  for (const jid of ['status@broadcast', '1234@broadcast']) pictures.prefetch([jid], 'chat')
  network.isRestricted = true
  pictures.prefetch(ANA, 'chat')
  await after(MINUTE)
  assert.deepEqual(asked, [])
  network.isRestricted = false
  for (const who of [ANA, person(2)]) pictures.prefetch(who, 'chat')
  await after(0)
  assert.deepEqual(asked, [LID])
  // The second query still waits for its turn when the restriction begins.
  network.isRestricted = true
  await after(MINUTE)
  assert.deepEqual(asked, [LID])
  network.isRestricted = false
  pictures.prefetch(person(2), 'chat')
  await after(SECOND)
  assert.deepEqual(asked, [LID, ...person(2)])
})

test('a channel is described by whoever asked first', async (t) => {
  const { pictures, asked, channels, connect, after } = scene(t)
  connect()
  pictures.learnNewsletter(CHANNEL, {
    thread_metadata: { picture: { direct_path: '/v/large.jpg' }, preview: { url: '', direct_path: '/v/small.jpg?ccb=1' } },
  })
  assert.equal(pictures.of([CHANNEL]), 'https://pps.example/v/small.jpg?ccb=1')
  pictures.prefetch([CHANNEL], 'chat')
  await after(DAY)
  pictures.prefetch([CHANNEL], 'chat')
  await after(0)
  assert.deepEqual([asked, channels], [[], [CHANNEL]])
  pictures.learnNewsletter(CHANNEL, { thread_metadata: { preview: { id: '0', direct_path: '' } } })
  assert.equal(pictures.of([CHANNEL]), null)
})

test('a channel that was described while it waited is not asked about', async (t) => {
  const { pictures, channels, connect, after } = scene(t)
  connect()
  pictures.prefetch(ANA, 'chat')
  pictures.prefetch([CHANNEL], 'chat')
  pictures.learnNewsletter(CHANNEL, {})
  await after(2 * SECOND)
  assert.deepEqual(channels, [])
})

test('another account starts without what is known', async (t) => {
  const { pictures, connect, after } = scene(t)
  connect()
  pictures.prefetch(ANA, 'chat')
  await after(0)
  pictures.clear()
  assert.equal(pictures.of(ANA), null)
})
