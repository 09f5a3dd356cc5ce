import assert from 'node:assert/strict'
import { readdir, rename } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { takeOpeningTurn } from '../../../src/storage/opening-turn.ts'
import { tempDir } from './fixtures.ts'

const sockets = async (dir: string) => (await readdir(dir)).filter((name) => name.startsWith('opening-'))

test('of many that begin at the same moment each opens, one after the other', async (t) => {
  const dir = await tempDir(t)
  let opening = 0
  const turns = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const turn = await takeOpeningTurn(dir)
      assert.equal(++opening, 1, 'nobody else is opening')
      await pause(5)
      opening--
      turn.opened()
      turn.holdFor(async () => () => {})
      return turn
    }),
  )
  assert.equal((await sockets(dir)).length, 8)
  for (const turn of turns) await turn.end()
  assert.deepEqual(await readdir(dir), [])
})

test('the socket of a process that was killed is removed', async (t) => {
  const dir = await tempDir(t)
  const dead = createServer()
  await new Promise<void>((resolve) => dead.listen(join(dir, 'draft'), resolve))
  // A server that is closed removes its socket file, but a killed process does not. So the file is renamed first.
  await rename(join(dir, 'draft'), join(dir, 'opening-1-00-00'))
  await new Promise((resolve) => dead.close(resolve))
  const turn = await takeOpeningTurn(dir)
  assert.equal((await sockets(dir)).length, 1)
  await turn.end()
})

test('a process that does not answer is named, and nothing is left behind', async (t) => {
  const dir = await tempDir(t)
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(join(dir, 'opening-4711-00-00'), resolve))
  t.after(() => silent.close())
  await assert.rejects(takeOpeningTurn(dir, 100), /^Error: The process 4711 has the store open and does not answer/)
  assert.deepEqual(await sockets(dir), ['opening-4711-00-00'])
})

test('commits are held until the other process has opened, or has ended', async (t) => {
  const dir = await tempDir(t)
  const first = await takeOpeningTurn(dir)
  first.opened()
  let holds = 0
  first.holdFor(async () => {
    holds++
    return () => void holds--
  })
  const [name] = await sockets(dir)
  const other = connect(join(dir, name!))
  other.write('opening-1-00-00\n')
  const [said] = await new Promise<[Buffer]>((resolve) => other.once('data', (data) => resolve([data])))
  assert.deepEqual([String(said), holds], ['held\n', 1])
  other.destroy()
  while (holds > 0) await pause(5)
  await first.end()
})
