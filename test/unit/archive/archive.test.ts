import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readArchiveFile, writeArchiveFile } from '../../../src/archive/archive-file.ts'
import { FAMILIES, familyOf, happensOnce, isArchived } from '../../../src/archive/families.ts'
import { type Frame, frameBytes, framesIn } from '../../../src/archive/frames.ts'
import { instanceFrames, readInstanceArchive } from '../../../src/archive/instance-archive.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { PASSPHRASE, writeCheaply } from './cheap-archive.ts'

const ID = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11'
const HEAD = { v: 1, kind: 'move', id: ID, made: 5, release: '0.1.0' } as const
const PARTS = { head: HEAD, config: Buffer.from('{"v":1}'), ringKey: Buffer.alloc(64, 1) }
const NOTHING = { record() {}, blob() {} }

const dir = await mkdtemp(join(tmpdir(), 'svc-archive-'))
after(() => rm(dir, { recursive: true, force: true }))

async function* each(frames: readonly Frame[]) {
  yield* frames
}

const storeOf = (records: Record<string, string>) => ({
  async *range(prefix: string) {
    for (const [name, value] of Object.entries(records)) yield [prefix + name, Buffer.from(value)] as [string, Uint8Array]
  },
})

async function collected(frames: AsyncIterable<Frame>): Promise<[string, string][]> {
  const found: [string, string][] = []
  for await (const [name, bytes] of frames) found.push([name, Buffer.from(bytes).toString()])
  return found
}

test('every family of records is in the table, and the table has no other', () => {
  const prefix = keys.instance('x')
  const made = Object.values(keys).flatMap((key) => {
    const name = typeof key === 'function' ? (key as (...parts: unknown[]) => string)('x', 1, 1, 1, 1) : key
    return name.startsWith(prefix) ? [name.slice(prefix.length)] : []
  })
  const types = Object.keys(FAMILIES).filter((name) => name.startsWith('key:'))
  const families = new Set(made.map(familyOf).filter((name) => name !== '' && !name.startsWith('key:')))
  assert.deepEqual([...families, ...types].sort(), Object.keys(FAMILIES).sort())
})

test('a backup has no sessions, no messages to be sent and no events to be delivered', () => {
  for (const name of [
    'key:session:x',
    'key:sender-key:x',
    'queue:1',
    'queue-in-flight',
    'outbox:1',
    'parked:1',
    'due:1:1',
    'journal:x',
  ])
    assert.equal(isArchived(name, 'backup'), false, name)
  for (const name of ['creds', 'key:pre-key:00000001', 'directory:chats:000', 'message-secret:a:b:c'])
    assert.deepEqual([isArchived(name, 'backup'), isArchived(name, 'move'), happensOnce(name)], [true, true, false], name)
  for (const name of ['queue:1', 'outbox:1', 'due:1:1', 'journal:x', 'waiting:x'])
    assert.deepEqual([isArchived(name, 'move'), happensOnce(name)], [true, true], name)
})

test('a record that the table does not know moves, and is not in a backup', () => {
  assert.deepEqual([isArchived('of-tomorrow:1', 'move'), isArchived('of-tomorrow:1', 'backup')], [true, false])
})

test('frames are read however their bytes are cut', async () => {
  const frames: Frame[] = [
    ['a', Buffer.from('one')],
    ['empty', Buffer.alloc(0)],
    ['ü', Buffer.alloc(1_000, 7)],
  ]
  const whole = Buffer.concat(frames.flatMap(frameBytes))
  for (const size of [1, 3, 64, whole.length]) {
    async function* cut() {
      for (let from = 0; from < whole.length; from += size) yield whole.subarray(from, from + size)
    }
    const found = []
    for await (const frame of framesIn(cut())) found.push(frame)
    assert.deepEqual(found, frames, String(size))
  }
  for (const broken of [whole.subarray(0, -1), Buffer.from('ffffffff', 'hex')])
    await assert.rejects(async () => {
      for await (const _ of framesIn(
        (async function* () {
          yield broken
        })(),
      ));
    }, RangeError)
})

test('what is written is read, with the right passphrase only', async () => {
  const file = join(dir, 'file.age')
  const frames: Frame[] = Array.from({ length: 300 }, (_, index) => [`record:${index}`, Buffer.alloc(1_000, index)] as const)
  await writeArchiveFile(file, PASSPHRASE, each(frames))
  assert.deepEqual(await collected(readArchiveFile(file, PASSPHRASE)), await collected(each(frames)))
  await assert.rejects(collected(readArchiveFile(file, 'another passphrase')), /The passphrase is not that of this archive\./)
  await assert.rejects(collected(readArchiveFile(join(dir, 'nowhere'), PASSPHRASE)), /There is no file/)
  await writeFile(join(dir, 'other'), 'hello')
  await assert.rejects(collected(readArchiveFile(join(dir, 'other'), PASSPHRASE)), /is not an archive of this service\./)
  assert.deepEqual(await readdir(dir), ['file.age', 'other'], 'no draft is left')
})

test('a file that was cut or changed is refused', async () => {
  const file = join(dir, 'damaged.age')
  await writeCheaply(file, each([['a', Buffer.alloc(200_000)]]))
  const whole = await readFile(file)
  const changed = Buffer.from(whole)
  changed[100_000]! ^= 1
  for (const broken of [whole.subarray(0, -1), whole.subarray(0, 70_000), changed]) {
    await writeFile(file, broken)
    await assert.rejects(collected(readArchiveFile(file, PASSPHRASE)), /is damaged or not complete, so nothing of it was taken\./)
  }
})

test('an instance is read as it was written, and one that is not whole or from a newer release is refused', async () => {
  const file = join(dir, 'instance.age')
  const blobs = mountBlobs(blobFiles({ dir: join(dir, 'blobs') }))
  const records = { creds: 'c', runtime: 'r', 'queue:1': 'q', 'key:session:a': 's' }
  await writeCheaply(file, instanceFrames(PARTS, storeOf(records), blobs))
  const read: string[] = []
  const found = await readInstanceArchive(file, PASSPHRASE, {
    record(name, value) {
      read.push(`${name}=${Buffer.from(value)}`)
    },
    blob() {},
  })
  assert.deepEqual(read, ['creds=c', 'queue:1=q', 'key:session:a=s'])
  assert.deepEqual([found.head, found.records, found.ringKey], [HEAD, 3, PARTS.ringKey])

  async function* without(part: string, frames: AsyncIterable<Frame>) {
    for await (const frame of frames) if (!frame[0].startsWith(part)) yield frame
  }
  const refusals = [
    [() => without('end', instanceFrames(PARTS, storeOf(records), blobs)), /is not complete: it has no end\./],
    [() => without('record:queue', instanceFrames(PARTS, storeOf(records), blobs)), /2 of 3 records are in it/],
    [() => instanceFrames({ ...PARTS, head: { ...HEAD, v: 2 } }, storeOf(records), blobs), /made by a newer release/],
    [() => each([['blob:../../x', Buffer.alloc(1)]]), /has a part that cannot be read/],
  ] as const
  for (const [frames, says] of refusals) {
    await writeCheaply(file, frames())
    await assert.rejects(readInstanceArchive(file, PASSPHRASE, NOTHING), says)
  }
})

const age = spawnSync('age', ['--version']).status === 0
test('the program age recognises the file', { skip: !age && 'age is not installed.' }, async () => {
  const file = join(dir, 'for-age.age')
  await writeArchiveFile(file, PASSPHRASE, each([['a', Buffer.from('x')]]))
  // The program age asks for the passphrase at a terminal. The program `script` provides this terminal.
  const out = execFileSync('script', ['-qec', `age -d ${file} | od -c | head -3`, '/dev/null'], { input: `${PASSPHRASE}\n` })
  assert.match(out.toString(), /a\s+\\0\s+\\0\s+\\0\s+001\s+x/)
})
