import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { proto } from '@whiskeysockets/baileys'
import { sealMedia } from '../../../../packages/sandbox/src/testing.ts'
import { createFileHost } from '../../../../src/media/file-host.ts'
import { createRoutes } from '../../../../src/media/routes.ts'
import { historySlices, MAX_SLICE, takeHistory } from '../../../../workers/shard/receive/effects/history.ts'
import type { HistoryPiece } from '../../../../workers/shard/wire/history.ts'
import { startHostileHost } from '../../../harness/file-host.ts'
import { recordingLog } from '../../storage/fixtures.ts'

const { INITIAL_BOOTSTRAP, PUSH_NAME, FULL } = proto.HistorySync.HistorySyncType

const host = await startHostileHost()
const tempDir = await mkdtemp(join(tmpdir(), 'svc-history-'))
after(async () => {
  await host.stop()
  await rm(tempDir, { recursive: true, force: true })
})

function names(count: number): Buffer {
  const pushnames = Array.from({ length: count }, (_, index) => ({
    id: `${index}@lid`,
    pushname: randomBytes(30).toString('hex'),
  }))
  return deflateSync(proto.HistorySync.encode(proto.HistorySync.fromObject({ syncType: PUSH_NAME, pushnames })).finish())
}

function bench() {
  const slices: HistoryPiece[][] = []
  const stopped = new AbortController()
  const ends: number[] = []
  const log = recordingLog()
  const take = takeHistory({
    host: createFileHost(
      createRoutes({ network: host.network, proxyRoute: assert.fail, log: { info() {}, warn() {}, error() {} } }),
    ),
    tempDir,
    readers: [
      {
        take: async (slice) => {
          slices.push([...slice])
          await new Promise((resolve) => setImmediate(resolve))
        },
        end: async ({ syncType }) => void ends.push(syncType),
      },
    ],
    ended: stopped.signal,
    retries: [1, 1],
    log,
  })
  return { take, slices, ends, stopped, log, pieces: () => slices.flat().length }
}

const sends = (...answers: ((response: ServerResponse) => unknown)[]) =>
  host.answer((response) => void answers[Math.min(answers.length, ++asked) - 1]!(response))
let asked = 0

function sealed(plain: Buffer) {
  asked = 0
  const { blob, ...file } = sealMedia(plain, 'md-msg-hist')
  return { blob, notice: { ...file, syncType: PUSH_NAME } as proto.Message.IHistorySyncNotification }
}

test('a history file of a media host is verified, and then read in slices, and nothing of it stays', async () => {
  const { take, slices, ends, pieces } = bench()
  const { blob, notice } = sealed(names(5_000))
  await take({ ...notice, directPath: sends((response) => response.end(blob)) })
  assert.equal(pieces(), 5_000)
  assert.ok(slices.every(({ length }) => length <= MAX_SLICE))
  assert.deepEqual(ends, [PUSH_NAME])
  assert.deepEqual(await readdir(tempDir), [])
})

test('of a file that was changed, wherever, nothing has an effect; the notice is done with', async () => {
  const { take, slices, ends, log } = bench()
  const { blob, notice } = sealed(names(20_000))
  for (const at of [0, blob.length >> 1, blob.length - 20, blob.length - 1]) {
    const changed = Buffer.from(blob)
    changed[at]! ^= 1
    await take({ ...notice, directPath: sends((response) => response.end(changed)) })
  }
  await take({ ...notice, fileSha256: randomBytes(32), directPath: sends((response) => response.end(blob)) })
  await take({ ...notice, directPath: sends((response) => response.end(blob.subarray(0, -1))) })
  assert.deepEqual([slices, ends], [[], []])
  assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 6)
  assert.deepEqual(await readdir(tempDir), [])
})

test('a host that fails is asked again; one that has not got it is believed', async () => {
  const { take, pieces, log } = bench()
  const { blob, notice } = sealed(names(300))
  const fails = (response: ServerResponse) => response.writeHead(503).end()
  const cuts = (response: ServerResponse) => response.write(blob.subarray(0, 100), () => response.destroy())
  await take({ ...notice, directPath: sends(fails, cuts, (response) => response.end(blob)) })
  assert.equal(pieces(), 300)
  asked = 0
  await assert.rejects(take({ ...notice, directPath: sends(fails) }), /503/)
  assert.equal(asked, 3)
  asked = 0
  await take({ ...notice, directPath: sends((response) => response.writeHead(410).end()) })
  assert.equal(asked, 1)
  assert.equal(pieces(), 300)
  assert.equal(log.lines.at(-1)?.level, 'warn')
})

test('what comes in the notice itself is read from there; the years before are not fetched', async () => {
  const { take, pieces, ends } = bench()
  await take({ syncType: INITIAL_BOOTSTRAP, initialHistBootstrapInlinePayload: names(3) })
  assert.equal(pieces(), 3)
  const { notice } = sealed(names(3))
  await take({ ...notice, syncType: FULL, directPath: sends(() => assert.fail('it was fetched')) })
  await take({ syncType: PUSH_NAME })
  assert.deepEqual([pieces(), ends], [3, [INITIAL_BOOTSTRAP]])
})

test('what is no history is left out, as far as it can be read before', async () => {
  const { take, log } = bench()
  for (const payload of [randomBytes(100), deflateSync(Buffer.from('ffffffffff', 'hex')), names(10).subarray(0, -8)])
    await take({ syncType: PUSH_NAME, initialHistBootstrapInlinePayload: payload })
  assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 3)
})

test('the end of the session ends it, and it is to come again', async () => {
  const { take, stopped, slices } = bench()
  const { notice } = sealed(names(300))
  const taking = take({ ...notice, directPath: sends((response) => response.flushHeaders()) })
  setImmediate(() => stopped.abort())
  await assert.rejects(taking, { name: 'AbortError' })
  assert.deepEqual([slices, await readdir(tempDir)], [[], []])
})

test('a slice ends when its time is up, however few pieces are in it', async () => {
  let now = 0
  const sizes: number[] = []
  const slow = historySlices(Readable.from([names(100)]), () => (now += 4))
  for await (const slice of slow) sizes.push(slice.length)
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    100,
  )
  assert.ok(sizes.length >= 30 && Math.max(...sizes) <= 3, String(sizes))
})
