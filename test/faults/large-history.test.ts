/**
 * The history of a phone with many thousand chats is read in slices; between the slices, the thread does other work.
 * The longest block of the thread is printed and not checked, because it depends on the machine.
 */

import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { keys } from '../../src/storage/record-keys.ts'
import { createKeyCache, createKeyStore } from '../../workers/shard/keys/key-store.ts'
import { MAX_SLICE } from '../../workers/shard/receive/effects/history.ts'
import { ANA, ME } from '../e2e/received/story.ts'
import { amount } from '../harness/amount.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { type HostedWorld, startHosted } from './hosted.ts'

const CHATS = amount(20_000, 3_000)
/**
 * Number of the last person in the history. The simulator numbers the people consecutively, but skips numbers that end
 * in 0000.
 */
const LAST = String(15_550_100_000 + CHATS + Math.floor((CHATS - 1) / 9_998))
const READ = "a part of the phone's history was read"

interface Part {
  pieces: number
  slices: number
  duration_ms: number
}

const parts: Part[] = []
const log = pino(
  { level: 'info' },
  {
    write(line: string) {
      const { msg, pieces, slices, duration_ms } = JSON.parse(line) as Part & { msg: string }
      if (msg === READ) parts.push({ pieces, slices, duration_ms })
    },
  },
)

let world: HostedWorld | undefined
after(() => world?.stop())

test(`${CHATS} chats are read in slices, and a text comes through meanwhile`, async (t) => {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  world = await startHosted(ME, { log }, { history: { chats: CHATS, contacts: CHATS, messages: 3 } })
  delay.enable()
  const { sandbox, receiver, store, sealer } = world
  await sandbox.createContact(ANA)
  const { id } = await sandbox.send(ANA, ME, { text: 'meanwhile' })
  await receiver.waitFor('the text', ({ message_id }) => message_id === id)
  const readBefore = parts.length
  await until('all parts are read', () => parts.length === 3)
  delay.disable()
  const ms = (nanoseconds: number) => Math.round(nanoseconds / 1e6)
  t.diagnostic(
    `${CHATS} chats: ${JSON.stringify(parts)}; the text came before ${3 - readBefore} of the parts; ` +
      `the loop was held ${ms(delay.max)} ms at the longest, ${ms(delay.percentile(99))} ms at the 99th percentile`,
  )
  // The first part of the history contributes three items per chat: the chat, the pair of number and LID of its person,
  // and the same pair in the list of pairs. The second part contains the names, and the third one is empty.
  assert.deepEqual(
    parts.map(({ pieces }) => pieces),
    [3 * CHATS, CHATS + 1, 0],
  )
  for (const { pieces, slices } of parts) assert.ok(slices >= pieces / MAX_SLICE, `${pieces} pieces in ${slices} slices`)
  const kept = createKeyStore(INSTANCE, store, sealer, createKeyCache({ maxEntries: 10 }))
  for (const number of ['15550100001', LAST]) assert.ok(await kept.get('lid-mapping', number), `the LID of ${number} is on disk`)
  await until('every notice is settled', async () => {
    for await (const _ of store.range(keys.journals(INSTANCE))) return false
    return true
  })
})
