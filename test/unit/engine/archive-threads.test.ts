import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ArchiveThreads, createArchiveThreads } from '../../../src/engine/archive-threads.ts'
import { shareDisk } from '../../../src/storage/disk.ts'
import { type OpenStore, openStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'

const ID = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c31'
const PARTS = {
  head: { v: 1, kind: 'backup', id: ID, made: 5, release: '0.1.0' },
  config: Buffer.from('{}'),
  ringKey: Buffer.alloc(64, 1),
} as const
/**
 * Number of records. They do not all fit into the buffers between the threads, so an archive that nobody reads is never
 * complete.
 */
const RECORDS = 40
const RECORD_BYTES = 50_000

let dir: string
let store: OpenStore
let threads: ArchiveThreads
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-archive-threads-'))
  const storeUrl = `lmdb:${join(dir, 'state')}`
  store = await openStore(storeUrl)
  for (let index = 0; index < RECORDS; index++)
    await store.commit({ ops: [[`${keys.instance(ID)}seen:${index}`, randomBytes(RECORD_BYTES)]] })
  const log = { info() {}, warn() {}, error() {} }
  threads = createArchiveThreads({
    storeUrl,
    blobs: { in: 'files', dir: join(dir, 'blobs') },
    disk: shareDisk(1),
    logging: { level: 'silent' },
    killAt: null,
    mainKey: Buffer.alloc(64),
    log,
  })
})
after(async () => {
  await threads.close()
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

const write = (signal = new AbortController().signal) => threads.write(PARTS, 'correct horse battery', signal)

async function sizeOf(archive: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0
  for await (const piece of archive) size += piece.byteLength
  return size
}

test('an archive that nobody reads delays no other one, and is complete when it is read after all', async () => {
  const unread = await write()
  const size = await sizeOf(await write())
  assert.ok(size > RECORDS * RECORD_BYTES, `${size} bytes`)
  assert.equal(await sizeOf(unread), size)
})

test('archives whose readers leave at once disturb nothing that is read afterwards', async () => {
  for (let round = 0; round < 2; round++) {
    const left = new AbortController()
    const archive = await write(left.signal)
    await archive.getReader().read()
    left.abort()
  }
  assert.ok((await sizeOf(await write())) > RECORDS * RECORD_BYTES)
})
