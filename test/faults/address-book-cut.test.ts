/**
 * The first reading of an address book is interrupted, and the phone then removes a person. The service must remove the
 * stored person, although the network does not report the removal to a device that has no version of the collection.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Batch } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { ME } from '../e2e/received/story.ts'
import { callTo } from '../harness/calls.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { type HostedWorld, startHosted } from './hosted.ts'

const PEOPLE = 5
const GONE = '15550100002'

let world: HostedWorld | undefined
after(() => world?.stop())

const versions = keys.signals(INSTANCE, 'app-state-sync-version')
const isVersion = ({ ops }: Batch) => ops.some(([key]) => key.startsWith(versions))

test('a person whom the phone takes off its address book while a reading is cut off is not kept', async () => {
  world = await startHosted(ME, {}, { history: { chats: 0, contacts: 0, saved: PEOPLE } }, isVersion)
  const { sandbox, store, instance } = world
  const saved = async () => {
    let count = 0
    for await (const _ of store.range(keys.savedContacts(INSTANCE))) count++
    return count
  }
  await until('the people are written', async () => (await saved()) === PEOPLE)
  for await (const { 0: key } of store.range(versions)) assert.fail(key)
  await until('the connection is ended for it', () => world!.state().status !== 'connected')
  await sandbox.settings({ snapshots_above: 0 })
  const index = ['contact', `${GONE}@s.whatsapp.net`]
  await sandbox.post(`/phones/${ME}/actions`, { collection: 'critical_unblock_low', index, version: 2, value: null })
  world.refuse(null)
  await world.untilRelinked('connected', () => world!.state().status === 'connected')
  await until('the others are kept', async () => (await saved()) === PEOPLE - 1)
  const { data } = (await instance.call(callTo('contacts.list'))) as { data: { phone: string; name: string | null }[] }
  assert.deepEqual(
    data.filter(({ name }) => name === null).map(({ phone }) => phone),
    [GONE],
  )
})
