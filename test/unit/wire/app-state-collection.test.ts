import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { BufferJSON, makeLtHashGenerator, newLTHashState, proto } from '@whiskeysockets/baileys'
import {
  changeCollection,
  collectionBytes,
  collectionFrom,
  collectionVersion,
  entryName,
  newCollection,
} from '../../../workers/shard/wire/app-state-collection.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

function both(count: number) {
  const change = changeCollection(newCollection())
  const library = makeLtHashGenerator(newLTHashState())
  const indexes = Array.from({ length: count }, () => randomBytes(32))
  const set = (index: Buffer) => {
    const valueMac = randomBytes(32)
    change.set(index, valueMac)
    library.mix({ indexMac: index, valueMac, operation: SET })
  }
  const remove = (index: Buffer) => {
    change.remove(index)
    library.mix({ indexMac: index, valueMac: randomBytes(32), operation: REMOVE })
  }
  for (const index of indexes) set(index)
  for (const index of indexes.slice(0, 10)) set(index)
  for (const index of indexes.slice(5, 20)) remove(index)
  remove(randomBytes(32))
  return { state: change.done(7), library: { ...library.finish(), version: 7 } }
}

test('the hash is the library’s, however many values go into it', () => {
  for (const count of [30, 500]) {
    const { state, library } = both(count)
    assert.deepEqual(Buffer.from(state.hash), library.hash)
    assert.equal(state.entries.size, count - 15)
  }
})

test('its record is read back, also the one that the library wrote', async () => {
  const { state, library } = both(40)
  const bytes = await collectionBytes(state)
  const old = Buffer.from(JSON.stringify(library, BufferJSON.replacer))
  for (const stored of [bytes, old]) {
    const read = await collectionFrom(stored)
    assert.equal(collectionVersion(stored), 7)
    assert.equal(read.version, 7)
    assert.deepEqual(Buffer.from(read.hash), Buffer.from(state.hash))
    assert.deepEqual(
      [...read.entries].map(([name, mac]) => [name, Buffer.from(mac)]),
      [...state.entries].map(([name, mac]) => [name, Buffer.from(mac)]),
    )
  }
})

test('a change leaves what it begins with as it is, and says what is news', () => {
  const before = newCollection()
  const [index, mac] = [randomBytes(32), randomBytes(32)]
  const change = changeCollection(before)
  assert.equal(change.set(index, mac), true)
  assert.equal(change.set(index, mac), false)
  assert.equal(change.remove(randomBytes(32)), false)
  assert.deepEqual([...change.done(1).entries.keys()], [entryName(index)])
  assert.equal(before.entries.size, 0)
})
