/**
 * Copies received files to a bucket that fails at times: 500 files of 1 KB to 100 MB in the full run, and otherwise 100
 * files of up to 20 MB. In the end every file must be in the bucket byte for byte. In the full run, the memory must not
 * depend on the size of the files.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sealMedia } from '../../../packages/sandbox/src/testing.ts'
import { systemClock } from '../../../src/domain/clock.ts'
import { createCopies } from '../../../src/engine/copies.ts'
import { copyBucket } from '../../../src/media/copies/copy-bucket.ts'
import { copyNames } from '../../../src/media/copies/copy-name.ts'
import { COPIES, createMediaCopies } from '../../../src/media/copies/media-copies.ts'
import { createMediaLinks, linkLife } from '../../../src/media/media-links.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { amount, isFull } from '../../harness/amount.ts'
import { startHostileHost } from '../../harness/file-host.ts'
import { noS3, startS3 } from '../../harness/s3.ts'
import { type Mood, startS3Proxy } from '../../harness/s3-proxy.ts'
import { recordingLog, tempStore } from '../../unit/storage/fixtures.ts'
import { pause, until } from '../ground.ts'

const FILES = amount(500, 100)
const LARGEST = amount(100_000_000, 20_000_000)
const SMALLEST = 1_000
/** Number of different files. The simulated media host keeps them in memory. */
const KINDS = 20
const MOODS: readonly Mood[] = ['away', 'slow', 'full', 'well', 'refusing', 'well']
const MOOD_MS = 5_000
const INSTANCES = ['7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11', '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c12']
/**
 * Largest growth in MB of this process's memory in the full run. Four copies with three parts of 5 MB each need less,
 * and four whole files (400 MB) need more.
 */
const GROWTH_MB = 256

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let begin = 0; begin < bytes.length; begin += 65_536) yield bytes.subarray(begin, begin + 65_536)
}

const sizeOf = (kind: number) => Math.round(SMALLEST * (LARGEST / SMALLEST) ** (kind / (KINDS - 1)))

test(`${FILES} files reach a bucket that fails in every way, byte for byte`, { skip: noS3, timeout: 900_000 }, async (t) => {
  const [s3, host, store] = [await startS3(), await startHostileHost(), await tempStore(t)]
  const proxy = await startS3Proxy(s3.endpoint)
  const bucket = { ...s3.bucket('received'), endpoint: proxy.endpoint }
  const links = createMediaLinks(randomBytes(32), linkLife(30))
  const nameOf = copyNames(randomBytes(32))
  const log = recordingLog()
  const pool = createCopies({ bucket, network: host.network, egressAllow: [], atOnce: COPIES, logging: { level: 'silent' }, log })
  const counts = { copied: 0, retry: 0, lost: 0 }
  const copies = createMediaCopies({
    store,
    links,
    nameOf,
    bucket: copyBucket(bucket),
    clock: systemClock,
    days: 30,
    copy: pool.copy,
    isHere: () => true,
    proxyOf: () => null,
    count: (outcome) => void counts[outcome]++,
    log,
  })
  t.after(async () => {
    const stopped = copies.stop()
    await pool.close()
    await stopped
    await proxy.stop()
    await host.stop()
    await s3.stop()
  })

  const kinds = Array.from({ length: KINDS }, (_, kind) => {
    const plain = randomBytes(sizeOf(kind))
    const { blob, ...sealed } = sealMedia(plain, 'document')
    const path = host.answer((response) => {
      response.writeHead(200, { 'content-length': blob.length })
      // The media host sends the file piece by piece, as fast as it is read. So the host needs almost no memory.
      Readable.from(piecesOf(blob)).pipe(response)
    })
    return { sealed, path, hash: sha256(plain) }
  })
  const expected = new Map<string, string>()
  proxy.mood = 'away'
  for (let index = 0; index < FILES; index++) {
    const { sealed, path, hash } = kinds[index % KINDS]!
    const instance = INSTANCES[index % INSTANCES.length]!
    const key = { id: `3EB0${index}`, remoteJid: '1@s.whatsapp.net', fromMe: false }
    const file = { kind: 'document' as const, path, ...sealed, mimeType: 'application/pdf', fileName: null, key, at: 0 }
    const link = links.seal(instance, 'tag', file, Date.now())!
    expected.set(nameOf(link, links.open(link, Date.now())!), hash)
    const record = keys.mediaCopy(instance, String(index).padStart(26, '0'), 0)
    await store.commit({ ops: [[record, Buffer.from(link)]] })
    copies.wake(instance)
  }

  global.gc?.()
  const before = process.memoryUsage().rss
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 100)
  t.after(() => clearInterval(watching))
  const began = Date.now()
  const left = async () =>
    (await Promise.all(INSTANCES.map((id) => store.count(keys.mediaCopies(id))))).reduce((sum, each) => sum + each)
  for (const mood of MOODS) {
    proxy.mood = mood
    await pause(MOOD_MS)
  }
  proxy.mood = 'well'
  await until('every file is copied', async () => (await left()) === 0, 800_000)
  const seconds = (Date.now() - began) / 1_000
  const growth = Math.round((most - before) / 1_048_576)
  t.diagnostic(
    `${FILES} files in ${seconds.toFixed(0)} s; memory grew by ${growth} MB; ${JSON.stringify({ counts, asked: proxy.asked })}`,
  )

  const client = s3.client('received')
  assert.deepEqual((await client.list('')).toSorted(), [...expected.keys()].toSorted())
  for (const [key, hash] of expected) assert.equal(sha256((await client.request({ method: 'GET', key })).bytes), hash, key)
  assert.deepEqual({ copied: counts.copied, lost: counts.lost }, { copied: FILES, lost: 0 })
  assert.ok(counts.retry > 0)
  if (isFull) assert.ok(growth < GROWTH_MB, `the memory grew by ${growth} MB`)
  assert.deepEqual(
    log.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
    log.lines.filter(({ level }) => level === 'error').map(() => 'received files cannot be copied to the bucket; they wait'),
  )
})
