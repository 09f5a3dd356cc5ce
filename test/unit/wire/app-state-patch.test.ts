import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePatches, type LTHashState, proto } from '@whiskeysockets/baileys'
import {
  type AppStateChange,
  archiveChange,
  contactChange,
  contactRemovals,
  pinChange,
} from '../../../workers/shard/wire/app-state-actions.ts'
import { type CollectionState, newCollection } from '../../../workers/shard/wire/app-state-collection.ts'
import { appStatePatch, patchQuery, patchRefusal } from '../../../workers/shard/wire/app-state-patch.ts'

const ANA = '5511988880001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'
const key = { id: Buffer.of(0, 0, 0, 7), data: Buffer.alloc(32, 5) }
const now = 1_800_000_000_000

async function read(name: 'regular_low' | 'critical_unblock_low', patch: Uint8Array, state: CollectionState) {
  const indexValueMap = Object.fromEntries(
    [...state.entries].map(([index, valueMac]) => [Buffer.from(index, 'latin1').toString('base64'), { valueMac }]),
  )
  const before: LTHashState = { version: state.version, hash: Buffer.from(state.hash), indexValueMap }
  const decoded = proto.SyncdPatch.decode(patch)
  decoded.version = { version: before.version + 1 }
  const warnings: unknown[] = []
  const logger = { warn: (...about: unknown[]) => warnings.push(about), trace() {}, debug() {} } as never
  const find = async (id: string) => (id === key.id.toString('base64') ? { keyData: key.data } : undefined)
  const { state: after, mutationMap } = await decodePatches(name, [decoded], before, find as never, {}, undefined, logger, true)
  assert.deepEqual(warnings, [])
  return { state: after, actions: Object.values(mutationMap).map(({ index, syncAction }) => [index, syncAction.value] as const) }
}

const made = (changes: readonly AppStateChange[], before: CollectionState) => {
  const patch = appStatePatch(changes[0]!.collection, changes, key, before)
  assert.ok(patch)
  return patch
}

test('all actions of a patch are read, and lead to the state it claims', async () => {
  const before = newCollection()
  const { patch, state } = made([pinChange(ANA, false, now), archiveChange(ANA, true, { at: 100 }, now)], before)
  const read1 = await read('regular_low', patch, before)
  assert.deepEqual(
    read1.actions.map(([index]) => index),
    [
      ['pin_v1', ANA],
      ['archive', ANA],
    ],
  )
  assert.equal(read1.actions[1]![1]?.archiveChatAction?.archived, true)
  assert.deepEqual([state.version, Buffer.from(state.hash)], [1, read1.state.hash])
  // The next patch must continue from the state that this patch leaves.
  const next = made([pinChange(ANA, true, now)], state)
  assert.deepEqual((await read('regular_low', next.patch, state)).state.hash, Buffer.from(next.state.hash))
})

test('an entry that is removed leaves no trace in the state; one that is not there is not removed', async () => {
  const empty = newCollection()
  const people = { pn: ANA, lid: ANA_LID }
  const saved = made([contactChange(people, { fullName: 'Ana', firstName: 'Ana', onPhone: true }, now)], empty)
  const removed = made(contactRemovals(people), saved.state)
  assert.equal(proto.SyncdPatch.decode(removed.patch).mutations.length, 1)
  await read('critical_unblock_low', removed.patch, saved.state)
  assert.deepEqual(Buffer.from(removed.state.hash), Buffer.from(empty.hash))
  assert.equal(removed.state.entries.size, 0)
  assert.equal(appStatePatch('critical_unblock_low', contactRemovals(people), key, removed.state), null)
})

test('a refused patch is told inside of an answer that is none itself', () => {
  const [sync] = patchQuery('regular', 3, Buffer.of(1)).content as { content: { attrs: Record<string, string> }[] }[]
  assert.deepEqual(sync!.content[0]!.attrs, { name: 'regular', version: '3', return_snapshot: 'false' })
  const answer = (attrs: Record<string, string>, code?: string) => ({
    tag: 'iq',
    attrs: { type: 'result' },
    content: [
      {
        tag: 'sync',
        attrs: {},
        content: [{ tag: 'collection', attrs, content: code ? [{ tag: 'error', attrs: { code } }] : [] }],
      },
    ],
  })
  assert.equal(patchRefusal(answer({ name: 'regular' }), 'regular'), null)
  assert.equal(patchRefusal(answer({ name: 'regular', type: 'error' }, '409'), 'regular'), 409)
  assert.equal(patchRefusal(answer({ name: 'regular', type: 'error' }), 'regular'), 500)
  assert.equal(patchRefusal(answer({ name: 'regular', type: 'error' }, '409'), 'regular_low'), null)
})
