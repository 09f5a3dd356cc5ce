import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { DAY, HOUR } from '../../../src/domain/clock.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createGroupMetadata } from '../../../workers/shard/groups/group-metadata.ts'
import { createGroupRoles } from '../../../workers/shard/groups/group-roles.ts'
import { createGroupStore } from '../../../workers/shard/groups/group-store.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'
import { groupIn } from '../../../workers/shard/wire/groups.ts'
import { INSTANCE, recordingLog, sealer, tempStore, until } from '../storage/fixtures.ts'

const GROUP = '120363019502650977@g.us'

test('a text to a group needs no query for fourteen days; who its admins are is asked again after one, by who deletes or pins', async (t) => {
  const store = await tempStore(t)
  const clock = { at: 1_000_000_000_000, now: () => clock.at }
  const log = recordingLog() as unknown as Logger
  let queries = 0
  const members: BinaryNode[] = [{ tag: 'participant', attrs: { jid: '1@lid', type: 'admin' } }]
  const attrs = { id: GROUP.split('@')[0]!, subject: 'Team', creation: '1', s_t: '1' }
  const network = {
    async query() {
      queries++
      return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'group', attrs, content: members }] }
    },
  } as unknown as NetworkSocket
  const stored = createGroupStore({ id: INSTANCE, store, sealer, clock, log })
  const roles = createGroupRoles({ id: INSTANCE, store, sealer, clock, log })
  const groups = createGroupMetadata({ sock: network, clock, learnPairs: async () => {}, stored, learn: roles.learn })
  roles.attach({ refresh: groups.refresh, ended: new AbortController().signal })

  await groups.get(GROUP)
  const isWritten = async () => {
    for await (const _ of store.range(keys.groupRolesOf(INSTANCE))) return true
    return false
  }
  await until(isWritten, 'the roles')
  clock.at += DAY + HOUR
  await groups.get(GROUP)
  assert.equal(queries, 1, 'the kept members serve')
  assert.deepEqual((await roles.of(GROUP))?.admins, ['1@lid'], 'what is known is the answer')
  members.push({ tag: 'participant', attrs: { jid: '2@lid', type: 'admin' } })
  await until(() => queries === 2, 'the question')
  await until(async () => (await roles.of(GROUP))?.admins.length === 2, 'the new roles')
  assert.equal(queries, 2)
})

const participant = (jid: string, more: Record<string, string> = {}): BinaryNode => ({
  tag: 'participant',
  attrs: { jid, ...more },
})

async function learned(t: TestContext, ...admins: string[]) {
  const store = await tempStore(t)
  const clock = { at: 1_000_000_000_000, now: () => clock.at }
  const roles = createGroupRoles({ id: INSTANCE, store, sealer, clock, log: recordingLog() as unknown as Logger })
  const attrs = { id: GROUP.split('@')[0]!, subject: 'Team', creation: '1', s_t: '1' }
  const members = admins.map((jid) => participant(jid, { type: 'admin' }))
  roles.learn(groupIn({ tag: 'iq', attrs: {}, content: [{ tag: 'group', attrs, content: members }] }))
  await until(async () => (await roles.of(GROUP)) !== null, 'the roles')
  return {
    roles,
    clock,
    async notice(tag: string, ...people: string[]) {
      const change = { tag, attrs: {}, content: people.map((jid) => participant(jid)) }
      const ops = await roles.changed({ tag: 'notification', attrs: { from: GROUP, type: 'w:gp2' }, content: [change] })
      await store.commit({ ops })
      return await roles.of(GROUP)
    },
  }
}

test('each notice changes who is an admin, and who may change the group, at once', async (t) => {
  const { notice } = await learned(t, '1@lid', '2@lid', '3@lid')
  assert.deepEqual((await notice('demote', '2@lid'))?.admins, ['1@lid', '3@lid'])
  assert.deepEqual((await notice('promote', '4@lid'))?.admins, ['1@lid', '3@lid', '4@lid'])
  assert.deepEqual((await notice('remove', '3@lid'))?.admins, ['1@lid', '4@lid'])
  assert.deepEqual((await notice('leave', '1@lid'))?.admins, ['4@lid'])
  assert.equal((await notice('locked'))?.isLocked, true)
  assert.equal((await notice('unlocked'))?.isLocked, false)
})

test('roles that no answer has confirmed for fourteen days are not trusted', async (t) => {
  const { roles, clock } = await learned(t, '1@lid')
  clock.at += 14 * DAY
  assert.deepEqual((await roles.of(GROUP))?.admins, ['1@lid'])
  clock.at += 1
  assert.equal(await roles.of(GROUP), null)
})
