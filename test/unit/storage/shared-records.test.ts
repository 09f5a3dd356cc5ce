import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deferred } from '../../../src/lib/deferred.ts'
import type { Memory } from '../../../src/storage/main-records/main-records.ts'
import { createRecordCopy } from '../../../src/storage/main-records/record-copy.ts'
import { sharedRecords } from '../../../src/storage/main-records/shared-records.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { recordingLog } from './fixtures.ts'

const bytes = (text: string) => Buffer.from(text)

test('a record that could not be taken is taken when all records are read again', () => {
  const seen: string[] = []
  let isBroken = true
  const memory: Memory = {
    put(key) {
      if (isBroken) throw new Error('broken')
      seen.push(key)
    },
    remove: (key) => void seen.push(`removed ${key}`),
  }
  const { lines, ...log } = recordingLog()
  const copy = createRecordCopy(log)
  copy.add('configs', memory, [])
  const key = keys.config('a')
  copy.pass(key, bytes('1'), false)
  isBroken = false
  copy.pass(key, bytes('1'), false)
  copy.pass(key, bytes('1'), false)
  assert.deepEqual([seen, lines.length], [[`removed ${key}`, key], 1])
})

test('a family that is loaded while all records are read again gets the changes since then', async () => {
  const link = keys.connectLink('a')
  const stored = new Map([[link, bytes('before')]])
  let version = 5
  const [slowRead, slowLoad] = [deferred(), deferred()]
  let ranges = 0
  const main = sharedRecords({
    log: recordingLog(),
    store: {
      async *range(prefix) {
        ranges++
        const found = [...stored].filter(([key]) => key.startsWith(prefix))
        if (prefix === keys.connectLinks && ranges === 2) await slowLoad.promise
        if (prefix === keys.configs && ranges === 3) await slowRead.promise
        yield* found
      },
    },
    changes: {
      version: async () => version,
      since: async (from) => ({ version, changed: from === version ? new Map() : undefined }),
      commit: async () => assert.fail('nothing is changed'),
    },
  })
  const seen: string[] = []
  const nothing: Memory = { put() {}, remove() {} }
  await main.load('configs', nothing, () => {})
  const loading = main.load('connectLinks', { put: (_, value) => void seen.push(String(value)), remove() {} }, () => {})
  await new Promise((resolve) => setImmediate(resolve))
  stored.set(link, bytes('after'))
  version = 7
  const reading = main.catchUp()
  await new Promise((resolve) => setImmediate(resolve))
  slowLoad.resolve()
  await loading
  slowRead.resolve()
  await reading
  await main.catchUp()
  assert.deepEqual(seen, ['after'])
})
