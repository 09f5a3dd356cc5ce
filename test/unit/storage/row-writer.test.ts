import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRowWriter } from '../../../src/storage/drivers/postgres/owner/row-writer.ts'

test('a refused row is reported once until the server takes it again, and the end of a connection or a read-only server is no refusal', async () => {
  const reported: unknown[] = []
  const writer = createRowWriter((cause) => reported.push((cause as { code: string }).code))
  const answer = (code?: string) => {
    const ask = async () => {
      if (code !== undefined) throw Object.assign(new Error(), { code })
      return { rows: [], rowCount: 1 }
    }
    return writer.write({ ask }, { text: '' }, 1_000)
  }
  for (const code of ['57P01', '08006', 'ECONNRESET', '25006']) await assert.rejects(answer(code))
  for (const code of ['40P01', '23503']) await answer(code)
  for (const code of ['53100', '53100', undefined, '42501', '40001']) await answer(code)
  writer.note(undefined)
  for (const _ of [1, 2]) writer.note({ code: '53200' })
  assert.deepEqual(reported, ['53100', '42501', '53200'])
})
