import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT } from '../../harness/checkout.ts'

const { mixed } = (await import(new URL('scripts/test-order.mjs', ROOT).href)) as { mixed(files: string[]): string[] }

const named = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `.built/test/${folder}/${index}.test.js`)

test('files that wait are spread among those that compute, and none of them begins among the last', () => {
  const [faults, others] = [named('faults', 3), named('e2e', 8)]
  const order = mixed([...others, ...faults])
  assert.deepEqual(order.toSorted(), [...others, ...faults].toSorted())
  assert.deepEqual(
    order.map((file) => faults.includes(file)),
    [true, false, false, true, false, false, true, false, false, false, false],
  )
  assert.deepEqual(
    order.filter((file) => others.includes(file)),
    others,
  )
})

test('files of one kind stay as they are', () => {
  assert.deepEqual(mixed(named('e2e', 3)), named('e2e', 3))
  assert.deepEqual(mixed(named('faults', 3)), named('faults', 3))
  assert.deepEqual(mixed([]), [])
})
