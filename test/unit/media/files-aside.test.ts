import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFilesAside } from '../../../src/media/copies/files-aside.ts'

test('the files of a deleted instance give their places to those of others', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const woken: string[] = []
  const aside = createFilesAside((instance) => woken.push(instance))
  for (let file = 0; file < 1_000; file++) assert.ok(aside.put('deleted', `deleted ${file}`, 'host'))
  assert.equal(aside.put('other', 'one', 'host'), undefined)
  aside.forget('deleted')
  assert.equal(aside.isWaiting('deleted 0'), false)
  assert.ok(aside.put('other', 'one', 'host'))
  t.mock.timers.runAll()
  assert.deepEqual(woken, ['other'])
})
