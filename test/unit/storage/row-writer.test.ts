import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRowWriter } from '../../../src/storage/drivers/postgres/owner/row-writer.ts'

test('a refused row is reported once until the server takes it again, and the end of a connection is no refusal', async () => {
  const reported: unknown[] = []
  const write = createRowWriter((cause) => reported.push((cause as { code: string }).code))
  const answer = (code?: string) => {
    const ask = async () => {
      if (code !== undefined) throw Object.assign(new Error(), { code })
      return { rows: [], rowCount: 1 }
    }
    return write({ ask }, { text: '' }, 1_000)
  }
  for (const code of ['57P01', '08006', 'ECONNRESET']) await assert.rejects(answer(code))
  await answer('40P01')
  for (const code of ['53100', '53100', undefined, '42501', '40001']) await answer(code)
  assert.deepEqual(reported, ['53100', '42501'])
})
