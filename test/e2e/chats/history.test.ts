import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Op } from '../../../src/storage/contract.ts'
import { openStore } from '../../../src/storage/open-store.ts'
import { createAsking } from '../../harness/answers.ts'
import { phoneOf } from '../../harness/app-state.ts'
import type { Json, Stage } from '../../harness/stage.ts'
import { until } from '../../harness/until.ts'
import { startWorld } from '../../harness/world.ts'

const SHOP = '5511999990015'
const FIRST = '15550100001'
const SECOND = '15550100002'
const ANA = '5511988880001'
const pn = (number: string) => `${number}@s.whatsapp.net`

const world = await startWorld({ own: true })
const stage = { world } as Stage
const { sandbox, gateway, receiver } = world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createPhone(SHOP, { name: 'Shop', platform: 'smba', history: { chats: 12, contacts: 30 } })
const { act } = phoneOf(() => stage, SHOP)
await act('regular_low', ['pin_v1', pn(FIRST)], { pinAction: { pinned: true } })
await act('regular_high', ['mute', pn(SECOND)], { muteAction: { muted: true, muteEndTimestamp: -1 } })
await act('regular', ['label_edit', '4'], { labelEditAction: { name: 'Paid', color: 3 } })
await act('regular', ['label_jid', '4', pn(FIRST)], { labelAssociationAction: { labeled: true } })
await act('critical_unblock_low', ['contact', pn(ANA)], { contactAction: { fullName: 'Ana Souza', firstName: 'Ana' } })
stage.instance = await gateway.createInstance(receiver)
await gateway.pair(stage.instance, sandbox, SHOP)
after(() => stage.world.stop())
const { good } = createAsking(() => stage)

interface List {
  data: Json[]
  total: number
}
const chats = () => good('chats.list', 'GET', '/chats') as Promise<unknown> as Promise<List>
const contacts = () => good('contacts.list', 'GET', '/contacts') as Promise<unknown> as Promise<List>
const labels = async () => (await good('labels.list', 'GET', '/labels')).data as Json[]

/**
 * Resolves when the service has read the complete history. The phone sends it in several messages, and the service
 * reads the app state between them.
 */
const everything = () =>
  until(
    async () => ({ chats: await chats(), contacts: await contacts(), labels: await labels() }),
    (seen) => seen.chats.total === 12 && seen.contacts.total >= 31 && seen.labels.length === 1,
  )

test('chats, people, labels and flags of before are known', async () => {
  const seen = await everything()
  const shown = await until(chats, ({ data }) => data[0]!.pinned === true && data[1]!.muted === true)
  assert.deepEqual(
    shown.data
      .slice(0, 3)
      .map(({ phone, unread, marked_unread, pinned, muted, labels: on }) => [phone, unread, marked_unread, pinned, muted, on]),
    [
      [FIRST, 0, true, true, false, ['4']],
      [SECOND, 1, false, false, true, []],
      ['15550100003', 2, false, false, false, []],
    ],
  )
  assert.ok(shown.data.every(({ last_message_at, lid, name }) => last_message_at !== null && lid !== null && name !== null))
  const saved = await until(contacts, ({ data }) => data[0]!.name !== null)
  assert.deepEqual([saved.data[0]!.phone, saved.data[0]!.name, saved.data[0]!.short_name], [ANA, 'Ana Souza', 'Ana'])
  assert.ok(saved.data.slice(1).every(({ name, push_name }) => name === null && push_name !== null))
  assert.deepEqual(seen.labels, [{ id: '4', name: 'Paid', color: 3, chats: [FIRST] }])
})

test('a restart knows them all', async () => {
  const before = { chats: await chats(), contacts: await contacts(), labels: await labels() }
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  assert.deepEqual({ chats: await chats(), contacts: await contacts(), labels: await labels() }, before)
})

test('an account that was linked before there was a directory has people and labels again, and nothing of it is told as news', async () => {
  const { world, instance } = stage
  const told = () => world.receiver.events('received').filter(({ instance_id }) => instance_id === instance.id).length
  const before = told()
  await world.restartService(async () => {
    const store = await openStore(`lmdb:${world.dir}/state`)
    const known: Op[] = []
    for await (const [key] of store.range(`instance:${instance.id}:directory`)) known.push([key, null])
    await store.commit({ ops: known })
    await store.close()
  })
  await world.gateway.waitForStatus(instance, 'connected')
  await until(labels, (known) => known.length === 1)
  const { data } = await until(contacts, ({ total }) => total > 0)
  assert.deepEqual(
    data.map(({ phone, name }) => [phone, name]),
    [[ANA, 'Ana Souza']],
  )
  assert.equal((await chats()).total, 0)
  const { id } = await world.sandbox.send(FIRST, SHOP, { text: 'hello again' })
  await world.receiver.waitFor('the next message', ({ message_id }) => message_id === id)
  const [first] = (await chats()).data
  assert.deepEqual([first!.phone, first!.pinned, first!.labels], [FIRST, true, ['4']])
  assert.equal(told(), before + 1)
})

test('another account of the same instance finds nothing of it', async () => {
  const { world, instance } = stage
  const { gateway, sandbox } = world
  await sandbox.unlink(SHOP)
  await gateway.waitForStatus(instance, 'logged_out')
  await sandbox.createPhone(ANA.replace('8888', '7777'), { platform: 'smba' })
  await gateway.pair(instance, sandbox, ANA.replace('8888', '7777'))
  assert.equal((await chats()).total, 0)
  assert.deepEqual(await labels(), [])
})
