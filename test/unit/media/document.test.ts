import assert from 'node:assert/strict'
import { test } from 'node:test'
import { named } from '../../../workers/shard/media/document.ts'

test('a document gets the extension that its name lacks, and no dot without an extension', () => {
  const cases: [Parameters<typeof named>[0], fileName: string, extension: string][] = [
    [{ extension: 'pdf' }, 'file.pdf', 'pdf'],
    [{ extension: 'pdf', file_name: 'bill' }, 'bill.pdf', 'pdf'],
    [{ extension: 'pdf', file_name: 'bill.PDF' }, 'bill.PDF', 'pdf'],
    [{ extension: 'pdf', file_name: 'bill.txt' }, 'bill.txt.pdf', 'pdf'],
    [{ file_name: 'bill.txt' }, 'bill.txt', 'txt'],
    [{ file_name: 'bill' }, 'bill', ''],
    [{}, 'file', ''],
  ]
  for (const [names, fileName, extension] of cases) assert.deepEqual(named(names), { fileName, extension })
})
