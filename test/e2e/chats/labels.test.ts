import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { createAsking } from '../../harness/answers.ts'
import { phoneOf } from '../../harness/app-state.ts'
import { type Json, joinStage, startStage } from '../../harness/stage.ts'
import { until } from '../../harness/until.ts'

const SHOP = '5511999990013'
const PERSON = '5511999990014'
const ANA = '5511988880001'
const BEN = '5511988880002'
const NOBODY = '5511977770000'

const stage = await startStage(SHOP, { platform: 'smba', name: 'Shop' })
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createContact(BEN, { name: 'Ben' })
const { id } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, SHOP] })
const group = id.replace('@g.us', '-group')
await stage.named()
after(() => stage.world.stop())
const { good, refused, instead, asUsual } = createAsking(() => stage)
afterEach(asUsual)
const { phone, action, act } = phoneOf(() => stage, SHOP)

interface Label {
  id: string
  name: string
  color: number
  chats: string[]
}
const list = async () => (await good('labels.list', 'GET', '/labels')).data as Label[]
const create = (body: Json) => good('labels.create', 'POST', '/labels', body)
const put = (who: string, id: string) => good('labels.addToChat', 'PUT', `/chats/${who}/labels/${id}`)
const takeOff = (who: string, id: string) => good('labels.removeFromChat', 'DELETE', `/chats/${who}/labels/${id}`)

test('an account has none at first; one that is made is on the phone, with the next id', async () => {
  assert.deepEqual(await list(), [])
  assert.deepEqual(await create({ name: 'Paid', color: 3 }), { id: '1', name: 'Paid', color: 3, chats: [] })
  assert.deepEqual(await create({ name: ' New ' }), { id: '2', name: 'New', color: 0, chats: [] })
  const made = (await action('label_edit', '1')).labelEditAction!
  assert.deepEqual([made.name, made.color, made.deleted], ['Paid', 3, false])
  assert.equal((await list()).length, 2)
})

test('a change leaves what it does not name as the phone has it', async () => {
  const before = { name: 'Order', color: 7, orderIndex: 4, isActive: true, predefinedId: 3, type: 'PREDEFINED' }
  await act('regular', ['label_edit', '5'], { labelEditAction: before })
  await until(list, (labels) => labels.some(({ id }) => id === '5'))
  const changed = await good('labels.update', 'PUT', '/labels/5', { name: 'Orders 2026' })
  assert.deepEqual(changed, { id: '5', name: 'Orders 2026', color: 7, chats: [] })
  assert.deepEqual((await action('label_edit', '5')).labelEditAction, { ...before, name: 'Orders 2026' })
  await good('labels.update', 'PUT', '/labels/5', { color: 9 })
  assert.deepEqual((await action('label_edit', '5')).labelEditAction, { ...before, name: 'Orders 2026', color: 9 })
  assert.equal((await refused('PUT', '/labels/5', {})).code, 'invalid_request')
})

test('labels are put on chats and taken off, as often as one likes', async () => {
  await stage.world.sandbox.send(ANA, SHOP, { text: 'hello' })
  await until(
    () => good('chats.list', 'GET', '/chats') as Promise<{ data: Json[] }>,
    ({ data }) => data.some(({ phone }) => phone === ANA),
  )
  for (const who of [ANA, ANA, group, BEN]) assert.deepEqual(await put(who, '1'), { value: true })
  const paid = (await list()).find(({ id }) => id === '1')!
  assert.deepEqual([...paid.chats].sort(), [ANA, group, BEN].sort())
  const labelled = Object.entries((await phone()).app_state).filter(([index]) => index.startsWith('["label_jid","1"'))
  assert.equal(labelled.length, 3)
  assert.ok(labelled.every(([, { labelAssociationAction }]) => (labelAssociationAction as Json).labeled === true))
  assert.deepEqual((await good('chats.get', 'GET', `/chats/${ANA}`)).labels, ['1'])
  for (const who of [ANA, ANA, BEN]) assert.deepEqual(await takeOff(who, '1'), { value: true })
  assert.deepEqual((await list()).find(({ id }) => id === '1')!.chats, [group])
  assert.deepEqual((await good('chats.get', 'GET', `/chats/${ANA}`)).labels, [])
})

test('the phone labels chats, makes lists of its own, and deletes: only labels that are there are shown', async () => {
  await act('regular', ['label_edit', '8'], { labelEditAction: { name: 'Unread', type: 'UNREAD' } })
  await act('regular', ['label_jid', '2', `${BEN}@s.whatsapp.net`], { labelAssociationAction: { labeled: true } })
  await until(list, (labels) => labels.some(({ id, chats }) => id === '2' && chats.includes(BEN)))
  assert.ok((await list()).every(({ id }) => id !== '8'))
  await act('regular', ['label_edit', '2'], { labelEditAction: { name: 'New', deleted: true } })
  await until(list, (labels) => labels.every(({ id }) => id !== '2'))
  assert.equal((await create({ name: 'Next' })).id, '9', 'above all that ever were')
})

test('a label that is deleted is gone, from its chats too', async () => {
  await put(group, '9')
  assert.deepEqual(await good('labels.delete', 'DELETE', '/labels/9'), { value: true })
  assert.equal((await action('label_edit', '9')).labelEditAction!.deleted, true)
  assert.ok((await list()).every(({ id }) => id !== '9'))
  for (const [method, path, body] of [
    ['DELETE', '/labels/9'],
    ['PUT', '/labels/9', { name: 'x' }],
    ['PUT', '/labels/77', { name: 'x' }],
    ['PUT', '/labels/8', { name: 'x' }],
    ['PUT', `/chats/${ANA}/labels/9`],
    ['DELETE', `/chats/${ANA}/labels/77`],
  ] as const) {
    const { status, code } = await refused(method, path, body)
    assert.deepEqual([status, code], [404, 'label_not_found'], `${method} ${path}`)
  }
})

test('a chat that nobody knows carries no label', async () => {
  for (const nowhere of [NOBODY, '120363999999999999-group']) {
    const { status, code } = await refused('PUT', `/chats/${nowhere}/labels/1`)
    assert.deepEqual([status, code], [404, 'chat_not_found'])
  }
  assert.equal((await refused('PUT', '/chats/ana/labels/1')).code, 'invalid_phone')
  assert.equal((await refused('PUT', `/chats/${ANA}/labels/x`)).code, 'invalid_request')
})

test('there are twenty labels at most', async () => {
  for (let count = (await list()).length; count < 20; count++) await create({ name: `Label ${count}`, color: count })
  const { status, code } = await refused('POST', '/labels', { name: 'One too many' })
  assert.deepEqual([status, code], [403, 'not_allowed'])
  assert.equal((await list()).length, 20)
})

test('colors are told in any state', async () => {
  const { data } = (await good('labels.colors', 'GET', '/labels/colors')) as { data: Json[] }
  assert.equal(data.length, 20)
  assert.deepEqual(
    [data[0], data[19]],
    [
      { color: 0, hex: '#FF9485' },
      { color: 19, hex: '#9368CF' },
    ],
  )
})

test('a write says what the network refused', async () => {
  await good('labels.delete', 'DELETE', '/labels/5')
  for (const [method, path, body] of [
    ['POST', '/labels', { name: 'x' }],
    ['PUT', '/labels/1', { name: 'x' }],
    ['DELETE', '/labels/1'],
    ['PUT', `/chats/${group}/labels/1`],
    ['DELETE', `/chats/${group}/labels/1`],
  ] as const) {
    await instead({ account: SHOP, xmlns: 'w:sync:app:state' }, { error: [403, 'refused'] })
    const { status, code } = await refused(method, path, body)
    assert.deepEqual([status, code], [403, 'not_allowed'], `${method} ${path}`)
  }
})

test('an account that is no business has no labels', async () => {
  const other = await joinStage(stage.world, PERSON)
  const asking = createAsking(() => other)
  for (const [method, path, body] of [
    ['GET', '/labels'],
    ['POST', '/labels', { name: 'x' }],
    ['PUT', '/labels/1', { name: 'x' }],
    ['DELETE', '/labels/1'],
    ['PUT', `/chats/${ANA}/labels/1`],
    ['DELETE', `/chats/${ANA}/labels/1`],
  ] as const) {
    const { status, code } = await asking.refused(method, path, body)
    assert.deepEqual([status, code], [403, 'not_allowed'], `${method} ${path}`)
  }
})

test('a restart of the service remembers them', async () => {
  const before = await list()
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  assert.deepEqual(await list(), before)
})
