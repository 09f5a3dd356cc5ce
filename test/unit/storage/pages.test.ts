/**
 * Tests that damage in a data file is reported before lmdb reads the file. lmdb itself would end the process with
 * SIGSEGV or SIGBUS.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { checkStore } from '../../../src/storage/check.ts'
import { checkPages, Damage, newestMeta } from '../../../src/storage/drivers/lmdb-pages.ts'
import { type OpenStore, openStore } from '../../../src/storage/open-store.ts'
import { amount } from '../../harness/amount.ts'
import { program } from '../../harness/checkout.ts'

const PAGE = 4_096
const DAMAGES = amount(15, 6)
/** Maximum number of turns of ten commits during one check. */
const MOST_TURNS = 50

function seeded(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

let dir: string
let healthy: string
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-pages-'))
  healthy = join(dir, 'healthy')
  const store = await openStore(`lmdb:${healthy}`)
  await work(store, seeded(1), 120)
  await store.close()
})
after(() => rm(dir, { recursive: true, force: true }))

const keyOf = (number: number) => `record:${String(number).padStart(6, '0')}`

async function work(store: OpenStore, random: (below: number) => number, commits: number) {
  for (let commit = 0; commit < commits; commit++)
    await store.commit({
      ops: Array.from({ length: 1 + random(60) }, () => {
        const size = random(4) === 0 ? random(20_000) : random(800)
        return [keyOf(random(4_000)), random(3) === 0 ? null : Buffer.alloc(size, 1)] as const
      }),
    })
}

function verdict(path: string): string | null {
  const fd = openSync(join(path, 'data.mdb'), 'r')
  try {
    checkPages(fd, newestMeta(fd))
    return null
  } catch (error) {
    if (error instanceof Damage) return error.message
    throw error
  } finally {
    closeSync(fd)
  }
}

test('what random work leaves is sound, after every few commits', async () => {
  const path = join(dir, 'worked')
  const store = await openStore(`lmdb:${path}`)
  const random = seeded(7)
  for (let round = 0; round < 60; round++) {
    await work(store, random, 5)
    assert.equal(verdict(path), null)
  }
  let records = 0
  for await (const _ of store.range('')) records++
  const fd = openSync(join(path, 'data.mdb'), 'r')
  assert.equal(checkPages(fd, newestMeta(fd)).records, records)
  closeSync(fd)
  await store.close()
})

test('a store that is written to meanwhile is sound', async () => {
  const path = join(dir, 'busy')
  const store = await openStore(`lmdb:${path}`)
  const random = seeded(3)
  for (let round = 0; round < 5; round++) {
    let isOver = false
    const checking = checkStore(path, round % 2 ? 'deep' : 'quick').finally(() => {
      isOver = true
    })
    // The check holds a read transaction, so the store grows with each commit. On a full machine the check may take
    // minutes, and without a limit these commits fill the disk.
    for (let turn = 0; !isOver && turn < MOST_TURNS; turn++) await work(store, random, 10)
    const report = await checking
    assert.equal(report.state, 'sound', JSON.stringify(report))
  }
  await store.close()
})

test('an empty store, and none, are no damage', async () => {
  const path = join(dir, 'empty')
  assert.deepEqual(await checkStore(path), { state: 'absent' })
  const store = await openStore(`lmdb:${path}`)
  assert.equal((await checkStore(path)).state, 'sound')
  await store.close()
})

function damaged(name: string, change: (bytes: Buffer, usedPages: number) => void): string {
  const path = join(dir, name)
  cpSync(healthy, path, { recursive: true })
  rmSync(join(path, 'lock.mdb'))
  const file = join(path, 'data.mdb')
  const bytes = readFileSync(file)
  const fd = openSync(file, 'r')
  const { lastPage } = newestMeta(fd)
  closeSync(fd)
  change(bytes, lastPage + 1)
  writeFileSync(file, bytes)
  return path
}

const DAMAGED: Record<string, (path: string) => void> = {
  'a header of zeros': (path) => change(path, (bytes) => bytes.fill(0, 0, PAGE)),
  'two headers of noise': (path) => change(path, (bytes) => bytes.fill(0xa5, 0, 2 * PAGE)),
  'a root that leads nowhere': (path) =>
    change(path, (bytes) => {
      for (const page of [0, PAGE]) bytes.writeBigUInt64LE(123_456_789n, page + 96 + 40)
    }),
  'a body of noise': (path) => change(path, (bytes) => bytes.fill(0xa5, 2 * PAGE)),
  'a body of zeros': (path) => change(path, (bytes) => bytes.fill(0, 2 * PAGE)),
  'cut in the middle': (path) => truncateSync(join(path, 'data.mdb'), 40 * PAGE + 100),
  'cut behind its first header': (path) => truncateSync(join(path, 'data.mdb'), PAGE),
  'cut to nothing but a few bytes': (path) => truncateSync(join(path, 'data.mdb'), 10),
}

function change(path: string, how: (bytes: Buffer) => void) {
  const file = join(path, 'data.mdb')
  const bytes = readFileSync(file)
  how(bytes)
  writeFileSync(file, bytes)
}

for (const [name, harm] of Object.entries(DAMAGED)) {
  test(`${name} is damage`, async () => {
    const path = damaged(`harmed ${name}`, () => {})
    harm(path)
    const report = await checkStore(path)
    assert.equal(report.state, 'damaged', JSON.stringify(report))
  })
}

test(`of ${DAMAGES} random damages each is told, or lmdb reads and writes the store all the same`, async (t) => {
  let told = 0
  for (let number = 0; number < DAMAGES; number++) {
    const random = seeded(1_000 + number)
    const path = damaged(`random ${number}`, (bytes, pages) => {
      // The damage is a sector, a few bytes or a single bit. It is in the headers of the file, at the beginning of a
      // page, or anywhere.
      const page = random(pages) * PAGE
      const at = [random(2) * PAGE + random(200), page + random(80), page + random(PAGE)][random(3)]!
      const length = [512, 8, 1][number % 3]!
      for (let index = at; index < Math.min(at + length, bytes.length); index++)
        bytes[index] = length === 1 ? bytes[index]! ^ (1 << random(8)) : random(256)
    })
    const problem = verdict(path)
    if (problem !== null) {
      told++
      continue
    }
    const child = spawn(process.execPath, [...program('./pages-user', import.meta.url), path], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [, errors, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    assert.equal(signal, null, `damage ${number} was not told, and lmdb ended with ${signal}: ${errors}`)
  }
  t.diagnostic(`${told} of ${DAMAGES} told`)
  assert.ok(told > 0)
})
