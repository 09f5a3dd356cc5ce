import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isText, TEXT_EVERY } from './cluster-load.ts'

test('each of any number of instances sends one text in as many requests as there are to a text', () => {
  for (const instances of [1, 6, 7, 8, 13, 14, 15, 200]) {
    const texts = new Map<number, number>()
    for (let number = 0; number < instances * TEXT_EVERY; number++) {
      const instance = number % instances
      if (isText(number, instances)) texts.set(instance, (texts.get(instance) ?? 0) + 1)
    }
    assert.deepEqual([texts.size, new Set(texts.values())], [instances, new Set([1])], `${instances} instances`)
  }
})
