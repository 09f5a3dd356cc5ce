import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { buildConnector } from 'undici'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { guardedDownload } from '../../../src/egress/guarded-download.ts'
import { FetchFailed, type GuardedFetchOptions } from '../../../src/egress/guarded-fetch.ts'
import { serveFiles } from '../../harness/file-server.ts'

const dir = await mkdtemp(join(tmpdir(), 'svc-download-'))
const web = await serveFiles()
after(async () => {
  await web.stop()
  await rm(dir, { recursive: true, force: true })
})

const options: GuardedFetchOptions = {
  allow: parseRanges(['127.0.0.1']),
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
  maxRedirects: 5,
}
let count = 0
const target = () => join(dir, String(count++))
const fails = (problem: string) => (error: unknown) => error instanceof FetchFailed && error.problem === problem

test('a file arrives whole', async () => {
  const path = target()
  const bytes = Buffer.alloc(700_000, 'abc')
  const { status, size } = await guardedDownload(web.put('/whole', bytes), path, options)
  assert.deepEqual([status, size], [200, bytes.byteLength])
  assert.deepEqual(await readFile(path), bytes)
})

test('the file has what is made of the bytes on their way, and the limit holds for what came', async () => {
  const path = target()
  const bytes = Buffer.alloc(900_000, 'abc')
  async function* dotted(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) yield Buffer.alloc(2 * chunk.byteLength, '.')
    yield Buffer.from('end')
  }
  const { size } = await guardedDownload(web.put('/made', bytes), path, options, dotted)
  assert.equal(size, bytes.byteLength)
  assert.deepEqual(await readFile(path), Buffer.concat([Buffer.alloc(2 * bytes.byteLength, '.'), Buffer.from('end')]))
})

test('five redirects are followed, a sixth is not', async () => {
  web.put('/far', Buffer.from('here'))
  assert.equal((await guardedDownload(web.redirect('/far', 5), target(), options)).size, 4)
  await assert.rejects(guardedDownload(web.redirect('/far', 6), target(), options), fails('redirects'))
})

for (const isTold of [true, false])
  test(`a file that is too large is cut off while it is read${isTold ? ', or before when its size is told' : ''}`, async () => {
    const path = target()
    await assert.rejects(guardedDownload(web.zeros(`/zeros-${isTold}`, 300_000_000, isTold), path, options), fails('too_large'))
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    )
    assert.ok(size <= 1_100_000, `${size} bytes were kept`)
  })

test('the limit holds for what comes out of an encoding', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  await assert.rejects(
    guardedDownload(web.put('/bomb', bomb, { 'content-encoding': 'gzip' }), target(), options),
    fails('too_large'),
  )
  const path = target()
  await guardedDownload(web.put('/packed', gzipSync('hello'), { 'content-encoding': 'gzip' }), path, options)
  assert.equal(await readFile(path, 'utf8'), 'hello')
})

test('a server that drips a byte now and then runs into the time for everything together', async () => {
  await assert.rejects(guardedDownload(web.drip('/drip', 50), target(), { ...options, timeoutMs: 400 }), fails('timeout'))
})

test('another status is an answer, and leaves no file', async () => {
  const { status, size } = await guardedDownload(web.status('/gone', 410), target(), options)
  assert.deepEqual([status, size], [410, 0])
})

test('a redirect to a metadata address is refused before anything connects to it', async () => {
  const dialled: string[] = []
  const first = 'http://files.example/a.jpg'
  const dial = (wanted: buildConnector.Options, addresses: readonly string[], callback: buildConnector.Callback) => {
    dialled.push(`${wanted.hostname} ${addresses}`)
    callback(new Error('recorded, not connected'), null)
  }
  const resolve = async (name: string) => (name === 'files.example' ? ['93.184.215.14'] : ['169.254.169.254'])
  for (const url of [
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.example/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[64:ff9b::a9fe:a9fe]/',
  ])
    await assert.rejects(guardedDownload(url, target(), { ...options, egress: { resolve, dial } }), fails('blocked'), url)
  assert.deepEqual(dialled, [])
  await assert.rejects(guardedDownload(first, target(), { ...options, egress: { resolve, dial } }), fails('connection'))
  assert.deepEqual(dialled, ['files.example 93.184.215.14'])
})

test('the second hop is judged like the first', async () => {
  const leads = web.put('/elsewhere', Buffer.alloc(0))
  const hop = leads.replace('/elsewhere', '/hop-away')
  web.answer('/hop-away', (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end())
  await assert.rejects(guardedDownload(hop, target(), options), fails('blocked'))
})
