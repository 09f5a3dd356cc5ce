import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from '../../../src/serve.ts'
import { markOf, standbyQuestions } from '../../../src/storage/drivers/postgres/owner/standbys.ts'

test('a standby without the database, or that stops, does not take over from its own active service', async () => {
  const host = '127.0.0.1'
  const server = await listen({ host, port: 0 })
  const answers = []
  for (const reason of ['standby', 'database', 'stopping', undefined] as const) {
    server.explain(() => ({ sentence: 'It waits.', reason, active: markOf('a') }))
    for (const owner of ['a', 'b']) {
      const { isAway, isReached } = standbyQuestions(owner)
      answers.push([reason, owner, await isAway({ host, port: server.port }), await isReached({ host, port: server.port })])
    }
  }
  await server.close()
  assert.deepEqual(answers, [
    ['standby', 'a', false, true],
    ['standby', 'b', false, false],
    ['database', 'a', true, true],
    ['database', 'b', false, false],
    ['stopping', 'a', true, true],
    ['stopping', 'b', false, false],
    [undefined, 'a', false, false],
    [undefined, 'b', false, false],
  ])
})
