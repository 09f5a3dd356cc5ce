import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from '../../../src/serve.ts'
import { markOf, standbyQuestions } from '../../../src/storage/drivers/postgres/owner/standbys.ts'

test('only the own standby, without the database or in a stop, says that it does not take over', async () => {
  const host = '127.0.0.1'
  const server = await listen({ host, port: 0 })
  const answers = []
  for (const reason of ['standby', 'database', 'stopping', undefined] as const) {
    server.explain(() => ({ sentence: 'It waits.', reason, active: markOf('a') }))
    for (const owner of ['a', 'b']) {
      const { doesNotTakeOver, isReached, waitsForTurn } = standbyQuestions(owner)
      answers.push([
        reason,
        owner,
        await doesNotTakeOver({ host, port: server.port }),
        await isReached({ host, port: server.port }),
        await waitsForTurn({ host, port: server.port }),
      ])
    }
  }
  await server.close()
  assert.deepEqual(answers, [
    ['standby', 'a', false, true, true],
    ['standby', 'b', false, false, false],
    ['database', 'a', true, true, false],
    ['database', 'b', false, false, false],
    ['stopping', 'a', true, true, false],
    ['stopping', 'b', false, false, false],
    [undefined, 'a', false, false, false],
    [undefined, 'b', false, false, false],
  ])
})

test('a standby that has said that it stops, and has ended, does not take over', async () => {
  const host = '127.0.0.1'
  const { doesNotTakeOver } = standbyQuestions('a')
  const answers = []
  for (const reasons of [['standby', 'stopping'], ['stopping', 'standby'], ['database']] as const) {
    const server = await listen({ host, port: 0 })
    const { port } = server
    for (const reason of reasons) {
      server.explain(() => ({ sentence: 'It waits.', reason, active: markOf('a') }))
      await doesNotTakeOver({ host, port })
    }
    await server.close()
    answers.push([reasons.at(-1), await doesNotTakeOver({ host, port })])
  }
  assert.deepEqual(answers, [
    ['stopping', true],
    ['standby', false],
    ['database', false],
  ])
})
