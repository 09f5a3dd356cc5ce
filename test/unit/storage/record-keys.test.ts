import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FAMILIES } from '../../../src/storage/main-records/families.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { ROOT } from '../../harness/checkout.ts'

test('a key that is on the page is used', () => {
  const sources = ['src/', 'workers/shard/'].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== 'storage/record-keys.ts')
      .map((path) => readFileSync(new URL(folder + path, ROOT), 'utf8')),
  )
  // Some files import `keys` under the name `records`, because they use the name `keys` for another variable.
  const isUsed = (name: string) => sources.some((text) => new RegExp(`\\b(keys|records)\\.${name}\\b`).test(text))
  assert.deepEqual(
    Object.keys(keys).filter((name) => !isUsed(name)),
    [],
  )
})

test('every record that belongs to no instance is in one family of the main thread', () => {
  /** Names of media in `keys`. Media are not records, so they belong to no family. */
  const media = new Set(['blob', 'blobs'])
  const found = Object.entries(keys).flatMap(([name, key]) => {
    const text = typeof key === 'string' ? key : (key as (...parts: string[]) => string)('1', '2', '3', '4')
    if (media.has(name) || text.startsWith(keys.instances)) return []
    return [[name, Object.values(FAMILIES).filter(({ prefix }) => text.startsWith(prefix)).length]]
  })
  assert.deepEqual(
    found.filter(([, families]) => families !== 1),
    [],
  )
  assert.ok(found.length > 10)
})
