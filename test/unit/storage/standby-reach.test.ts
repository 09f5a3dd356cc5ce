import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createStandbyReach } from '../../../src/storage/drivers/postgres/owner/standby-reach.ts'

const A = { host: '10.0.0.1', port: 8_080 }
const B = { host: '10.0.0.2', port: 8_080 }

function bench(reached: Set<string>) {
  const asked: string[] = []
  const reported: string[] = []
  const note = createStandbyReach({
    async isReached({ host }) {
      asked.push(host)
      return reached.has(host)
    },
    onUnreached: (address) => reported.push(address),
  })
  async function looks(count: number, standbys: readonly (typeof A)[]) {
    for (let i = 0; i < count; i++) {
      note(standbys)
      await turn()
    }
  }
  return { looks, asked, reported }
}

test('a standby that never answers is reported once; one that answers is asked once', async () => {
  const { looks, asked, reported } = bench(new Set([B.host]))
  await looks(20, [A, B])
  assert.deepEqual(reported, ['10.0.0.1 port 8080'])
  assert.deepEqual([asked.filter((host) => host === A.host).length, asked.filter((host) => host === B.host).length], [5, 1])
})

test('a standby that answers only after its start is not reported', async () => {
  const reached = new Set<string>()
  const { looks, reported } = bench(reached)
  await looks(3, [A])
  reached.add(A.host)
  await looks(20, [A])
  assert.deepEqual(reported, [])
})

test('a standby that starts again at the same address is asked again', async () => {
  const { looks, reported } = bench(new Set())
  for (const standbys of [[A], [], [A]]) await looks(6, standbys)
  assert.deepEqual(reported, ['10.0.0.1 port 8080', '10.0.0.1 port 8080'])
})
