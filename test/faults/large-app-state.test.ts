/**
 * The app state of a phone with 3,000 saved people is read in pieces; between the pieces, the thread does other work.
 * The longest block of the thread is printed and not checked, because it depends on the machine.
 */
import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { keys } from '../../src/storage/record-keys.ts'
import { ANA, ME } from '../e2e/received/story.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { type HostedWorld, startHosted } from './hosted.ts'

const PEOPLE = 3_000
const LAST = '15550103000'

let world: HostedWorld | undefined
after(() => world?.stop())

test('3,000 saved people are read in pieces, and are known by their names', async (t) => {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  world = await startHosted(ME, {}, { history: { chats: 0, contacts: 0, saved: PEOPLE } })
  delay.enable()
  const { sandbox, receiver, store, sealer } = world
  await sandbox.createContact(ANA)
  const { id } = await sandbox.send(ANA, ME, { text: 'meanwhile' })
  await receiver.waitFor('the text', ({ message_id }) => message_id === id)
  const isSaved = async () => (await store.get(keys.savedContact(INSTANCE, sealer.blind(LAST)))) !== undefined
  const wasSaved = await isSaved()
  await until('all are saved', isSaved)
  delay.disable()
  const ms = (nanoseconds: number) => Math.round(nanoseconds / 1e6)
  t.diagnostic(
    `${PEOPLE} people: the text came ${wasSaved ? 'after' : 'before'} them; the loop was held ${ms(delay.max)} ms at the longest, ` +
      `${ms(delay.percentile(99))} ms at the 99th percentile`,
  )
  let count = 0
  for await (const _ of store.range(keys.savedContacts(INSTANCE))) count++
  assert.equal(count, PEOPLE)
  const { id: hello } = await sandbox.send(LAST, ME, { text: 'hello' })
  const event = await receiver.waitFor('a text of the last one', ({ message_id }) => message_id === hello)
  assert.equal(event.chat_name, `Saved ${PEOPLE}`)
})
