import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../src/storage/open-store.ts'
import { ownStore } from '../../../src/storage/owner.ts'
import { program } from '../../harness/checkout.ts'
import { tempDir, tempStore } from './fixtures.ts'

const OWNER = program('./owner-process', import.meta.url)
const sockets = async (dir: string) => (await readdir(dir)).filter((name) => name.startsWith('owner-'))

async function ownerProcess(t: TestContext, dir: string) {
  const child = spawn(process.execPath, [...OWNER, `lmdb:${dir}`], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  assert.equal(line, 'mine')
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

test('a store has one owner: who comes second is told so in one sentence, until it is given back', async (t) => {
  const store = await tempStore(t)
  const giveBack = await ownStore(store)
  await assert.rejects(ownStore(store), {
    message: `Another svc runs on the store in ${store.dir}; stop that one, or give this one a folder of its own (SVC_DATA_DIR).`,
  })
  assert.equal((await sockets(store.dir)).length, 1)
  await giveBack()
  assert.deepEqual(await sockets(store.dir), [])
  await (await ownStore(store))()
})

test('the store of a process that lives is refused, and that of a killed one is taken at once', async (t) => {
  const store = await tempStore(t)
  const kill = await ownerProcess(t, store.dir)
  await assert.rejects(ownStore(store), /^Error: Another svc runs on the store/)
  await kill()
  assert.equal((await sockets(store.dir)).length, 1, 'it left its socket behind')
  const giveBack = await ownStore(store)
  assert.equal((await sockets(store.dir)).length, 1, 'which is swept')
  await giveBack()
})

test('of many that find a dead owner at the same moment one gets the store', async (t) => {
  const store = await tempStore(t)
  await (await ownerProcess(t, store.dir))()
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => ownStore(store)))
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  assert.equal(won.length, 1)
  await won[0]!()
  assert.deepEqual(await sockets(store.dir), [])
})

test('a folder whose path is longer than that of a socket may be serves as well', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const dir = join(await tempDir(t), 'a'.repeat(120))
  await mkdir(dir)
  const store = { ...(await openStore(`lmdb:${dir}`)), dir }
  t.after(() => store.close())
  const giveBack = await ownStore(store)
  await assert.rejects(ownStore(store), /Another svc/)
  await giveBack()
  assert.deepEqual(await sockets(dir), [])
})
