import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import { spareMemory } from '../../../src/engine/spare-memory.ts'

const MB = 1_048_576
const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size

test('the young generation gives back what it has grown to, twice in one thread', async () => {
  for (let round = 0; round < 2; round++) {
    const kept: unknown[] = []
    for (let count = 0; count < 400_000; count++) kept.push({ count })
    const grown = young()
    assert.ok(kept.length > 0 && grown > 4 * MB, `it has ${grown} bytes`)
    await spareMemory()
    assert.ok(young() < grown / 2, `${grown} bytes became ${young()}`)
  }
})
