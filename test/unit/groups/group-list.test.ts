import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { keys } from '../../../src/storage/record-keys.ts'
import { createGroupList, type GroupList } from '../../../workers/shard/groups/group-list.ts'
import { groupNoticeIn } from '../../../workers/shard/wire/group-notice.ts'
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
    const list = createGroupList({ id: INSTANCE, store, sealer, log })
    await list.ready()
    return list
  }
  const list = await open()
  return {
    store,
    open,
    list,
    tell: (child: BinaryNode, from = GROUP) => list.noticed(from, groupNoticeIn(notice(child, from)).changes, isMe),
  }
}

const whole = (list: GroupList, ...groups: Group[]) => list.begin().whole(groups, [], 1)
const shown = (list: GroupList) => list.list().map(({ id, subject, size }) => [id, subject, size])

test('a list is kept, and another one takes its place', async (t) => {
  const { list, open, store } = await bench(t)
  assert.equal(list.readAt, null)
  await whole(list, group(GROUP), group(OTHER, { subject: 'Others' }, [node('parent')]))
  for (const each of [list, await open()]) {
    assert.deepEqual([each.readAt, each.list().length, each.find(OTHER)?.isCommunity], [1, 2, true])
    assert.deepEqual([each.find(GROUP)?.subject, each.find(GROUP)?.size, each.find(GROUP)?.isStale], ['Team', 3, false])
  }
  await list.begin().whole([group(OTHER)], [GROUP], 2)
  assert.deepEqual(list.stale(), [GROUP])
  await list.begin().whole([group(OTHER)], [], 3)
  assert.deepEqual(
    (await open()).list().map(({ id }) => id),
    [OTHER],
  )
  await list.forget()
  assert.deepEqual([(await open()).readAt, (await open()).list()], [null, []])
  for await (const [key] of store.range(keys.directory(INSTANCE))) assert.fail(key)
})

test('members who join or leave are counted once, even if the change is reported several times', async (t) => {
  const { list, open, tell } = await bench(t)
  await whole(list, group(GROUP))
  const came = node('add', { prev_v_id: '10', v_id: '11' }, participants('2@lid', '3@lid'))
  await tell(came)
  await tell(came)
  assert.deepEqual(shown(list), [[GROUP, 'Team', 5]])
  await tell(node('remove', { prev_v_id: '11', v_id: '12' }, participants('2@lid')))
  assert.deepEqual(shown(await open()), [[GROUP, 'Team', 4]])
  assert.deepEqual(list.stale(), [])
  await tell(node('remove', { prev_v_id: '14', v_id: '15' }, participants('3@lid')))
  assert.deepEqual(list.stale(), [GROUP], 'a notice in between did not come')
})

test('the account joins a group and leaves it', async (t) => {
  const { list, tell } = await bench(t)
  await tell(node('create', {}, [groupNode(GROUP)]))
  assert.deepEqual(shown(list), [[GROUP, 'Team', 3]])
  await tell(node('remove', {}, participants('2@lid', ME)))
  assert.deepEqual(shown(list), [])
  await tell(node('add', {}, participants(ME)))
  assert.deepEqual(list.stale(), [GROUP], 'nobody has told of the group itself')
  await list.begin().some([], [GROUP])
  assert.deepEqual(shown(list), [])
  await whole(list, group(GROUP), group(OTHER))
  await tell(node('delete'))
  list.left(OTHER)
  assert.deepEqual(shown(list), [])
})

test('a group with a new name, description or link, or with old data', async (t) => {
  const { list, tell } = await bench(t)
  await whole(list, group(GROUP), group(OTHER))
  await tell(node('subject', { subject: 'Renamed' }))
  await tell(node('description', { id: 'D' }, [{ tag: 'body', attrs: {}, content: Buffer.from('Daily notes') }]))
  assert.deepEqual([list.find(GROUP)?.subject, list.find(GROUP)?.description], ['Renamed', 'Daily notes'])
  await tell(node('description', { id: 'D', delete: 'true' }))
  assert.equal(list.find(GROUP)?.description, null)
  await tell(node('announcement'))
  assert.deepEqual(list.stale(), [])
  await tell(node('unlink', {}, [node('group', { jid: OTHER })]))
  assert.deepEqual(list.stale().sort(), [GROUP, OTHER])
  await list.begin().some([group(GROUP), group(OTHER)], [])
  assert.deepEqual(list.stale(), [])
  const unknown = '120363019502650979@g.us'
  await tell(node('groups_dirty', {}, [node('group', { jid: OTHER }), node('group', { jid: unknown })]), 'g.us')
  assert.deepEqual(list.stale(), [OTHER, unknown])
})

test('what is noticed while a list is on its way is newer than it', async (t) => {
  const { list, tell } = await bench(t)
  await whole(list, group(GROUP))
  const reading = list.begin()
  await tell(node('subject', { subject: 'Renamed' }))
  await tell(node('create', {}, [groupNode(OTHER)]), OTHER)
  await reading.whole([group(GROUP)], [], 2)
  assert.deepEqual(shown(list), [
    [GROUP, 'Renamed', 3],
    [OTHER, 'Team', 3],
  ])
  assert.deepEqual(list.stale(), [GROUP])
})
