import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHomeMap } from '../../../src/service/cluster/home-map.ts'
import type { Homes, StoredHome } from '../../../src/storage/homes.ts'

test('a caller that asks during a read gets a later one, which finds what the caller has already seen', async () => {
  const reads: ((homes: readonly StoredHome[]) => void)[] = []
  const all = () => new Promise<readonly StoredHome[]>((resolve) => reads.push(resolve))
  const map = createHomeMap({ all, isOwn: () => false } as Partial<Homes> as Homes, { others: () => [] })
  const homeAt = (writer: string): StoredHome => ({ instance: 'i', writer, wanted: null, isFree: false, isTakenOver: false })
  const first = map.refresh()
  await new Promise(setImmediate)
  const [second, third] = [map.refresh(), map.refresh()]
  assert.equal(reads.length, 1)
  reads[0]!([homeAt('old')])
  await first
  await new Promise(setImmediate)
  assert.equal(reads.length, 2)
  reads[1]!([homeAt('new')])
  await Promise.all([second, third])
  assert.deepEqual(map.all(), [homeAt('new')])
})

test('a read that fails does not fail the next one', async () => {
  let fails = true
  const all = async () => {
    if (fails) throw new Error('the database does not answer')
    return []
  }
  const map = createHomeMap({ all, isOwn: () => false } as Partial<Homes> as Homes, { others: () => [] })
  const [first, second] = [map.refresh(), new Promise(setImmediate).then(map.refresh)]
  await assert.rejects(first)
  fails = false
  await second
})
