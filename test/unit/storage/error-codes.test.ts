import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, DISK_FULL } from '../../../src/storage/drivers/postgres/error-codes.ts'

test('a code of the server is told from a code of the system and from other errors', () => {
  const cases: [code: unknown, expected: string | undefined][] = [
    [DISK_FULL, DISK_FULL],
    ['57P01', '57P01'],
    ['XX000', 'XX000'],
    ['EPIPE', undefined],
    ['EPERM', undefined],
    ['ECONNRESET', undefined],
    [53100, undefined],
    [undefined, undefined],
  ]
  for (const [code, expected] of cases) assert.equal(codeOf(Object.assign(new Error('failed'), { code })), expected)
})
