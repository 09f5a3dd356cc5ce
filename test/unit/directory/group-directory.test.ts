/** The groups of the account, over a real store: the effect of a list and of notices, and the state after a restart. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { keys } from '../../../src/storage/record-keys.ts'
import { createGroupDirectory, type GroupDirectory } from '../../../workers/shard/directory/group-directory.ts'
import { type Group, groupIn } from '../../../workers/shard/wire/groups.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const ME = '1@lid'
const GROUP = '120363019502650977@g.us'
const OTHER = '120363019502650978@g.us'
const isMe = (jid: string) => jid === ME

const node = (tag: string, attrs: Record<string, string> = {}, content: BinaryNode[] = []): BinaryNode => ({
  tag,
  attrs,
  content,
})
const groupNode = (jid: string, more: Record<string, string> = {}, content: BinaryNode[] = []) =>
  node('group', { id: jid.split('@')[0]!, subject: 'Team', creation: '1700000000', size: '3', p_v_id: '10', ...more }, content)
const group = (jid: string, more?: Record<string, string>, content?: BinaryNode[]): Group =>
  groupIn(node('iq', {}, [groupNode(jid, more, content)]))
const participants = (...jids: string[]) => jids.map((jid) => node('participant', { jid }))
const notice = (child: BinaryNode, from = GROUP) => node('notification', { from, type: 'w:gp2' }, [child])

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  const open = async () => {
    const directory = createGroupDirectory({ id: INSTANCE, store, sealer, log })
    await directory.ready()
    return directory
  }
  const directory = await open()
  return { store, open, directory, tell: (child: BinaryNode, from?: string) => directory.noticed(notice(child, from), isMe) }
}

const whole = (directory: GroupDirectory, ...groups: Group[]) => directory.begin().whole(groups, [], 1)
const shown = (directory: GroupDirectory) => directory.list().map(({ id, subject, size }) => [id, subject, size])

test('a list is kept, and another one takes its place', async (t) => {
  const { directory, open, store } = await bench(t)
  assert.equal(directory.readAt, null)
  await whole(directory, group(GROUP), group(OTHER, { subject: 'Others' }, [node('parent')]))
  for (const each of [directory, await open()]) {
    assert.deepEqual([each.readAt, each.list().length, each.find(OTHER)?.isCommunity], [1, 2, true])
    assert.deepEqual([each.find(GROUP)?.subject, each.find(GROUP)?.size, each.find(GROUP)?.isStale], ['Team', 3, false])
  }
  await directory.begin().whole([group(OTHER)], [GROUP], 2)
  assert.deepEqual(directory.stale(), [GROUP])
  await directory.begin().whole([group(OTHER)], [], 3)
  assert.deepEqual(
    (await open()).list().map(({ id }) => id),
    [OTHER],
  )
  await directory.forget()
  assert.deepEqual([(await open()).readAt, (await open()).list()], [null, []])
  for await (const [key] of store.range(keys.directory(INSTANCE))) assert.fail(key)
})

test('members who join or leave are counted once, even if the change is reported several times', async (t) => {
  const { directory, open, tell } = await bench(t)
  await whole(directory, group(GROUP))
  const came = node('add', { prev_v_id: '10', v_id: '11' }, participants('2@lid', '3@lid'))
  await tell(came)
  await tell(came)
  assert.deepEqual(shown(directory), [[GROUP, 'Team', 5]])
  await tell(node('remove', { prev_v_id: '11', v_id: '12' }, participants('2@lid')))
  assert.deepEqual(shown(await open()), [[GROUP, 'Team', 4]])
  assert.deepEqual(directory.stale(), [])
  await tell(node('remove', { prev_v_id: '14', v_id: '15' }, participants('3@lid')))
  assert.deepEqual(directory.stale(), [GROUP], 'a notice in between did not come')
})

test('the account joins a group and leaves it', async (t) => {
  const { directory, tell } = await bench(t)
  await tell(node('create', {}, [groupNode(GROUP)]))
  assert.deepEqual(shown(directory), [[GROUP, 'Team', 3]])
  await tell(node('remove', {}, participants('2@lid', ME)))
  assert.deepEqual(shown(directory), [])
  await tell(node('add', {}, participants(ME)))
  assert.deepEqual(directory.stale(), [GROUP], 'nobody has told of the group itself')
  await directory.begin().some([], [GROUP])
  assert.deepEqual(shown(directory), [])
  await whole(directory, group(GROUP), group(OTHER))
  await tell(node('delete'))
  directory.left(OTHER)
  assert.deepEqual(shown(directory), [])
})

test('a group with a new name, description or link, or with old data', async (t) => {
  const { directory, tell } = await bench(t)
  await whole(directory, group(GROUP), group(OTHER))
  await tell(node('subject', { subject: 'Renamed' }))
  await tell(node('description', { id: 'D' }, [{ tag: 'body', attrs: {}, content: Buffer.from('Daily notes') }]))
  assert.deepEqual([directory.find(GROUP)?.subject, directory.find(GROUP)?.description], ['Renamed', 'Daily notes'])
  await tell(node('description', { id: 'D', delete: 'true' }))
  assert.equal(directory.find(GROUP)?.description, null)
  await tell(node('announcement'))
  assert.deepEqual(directory.stale(), [])
  await tell(node('unlink', {}, [node('group', { jid: OTHER })]))
  assert.deepEqual(directory.stale().sort(), [GROUP, OTHER])
  await directory.begin().some([group(GROUP), group(OTHER)], [])
  assert.deepEqual(directory.stale(), [])
  const unknown = '120363019502650979@g.us'
  await tell(node('groups_dirty', {}, [node('group', { jid: OTHER }), node('group', { jid: unknown })]), 'g.us')
  assert.deepEqual(directory.stale(), [OTHER, unknown])
})

test('what is noticed while a list is on its way is newer than it', async (t) => {
  const { directory, tell } = await bench(t)
  await whole(directory, group(GROUP))
  const reading = directory.begin()
  await tell(node('subject', { subject: 'Renamed' }))
  await tell(node('create', {}, [groupNode(OTHER)]), OTHER)
  await reading.whole([group(GROUP)], [], 2)
  assert.deepEqual(shown(directory), [
    [GROUP, 'Renamed', 3],
    [OTHER, 'Team', 3],
  ])
  assert.deepEqual(directory.stale(), [GROUP])
})
