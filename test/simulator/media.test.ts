import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type FaultAction,
  type MediaHost,
  type MediaOptions,
  openMedia,
  sealMedia,
  startMediaHost,
} from '../../packages/sandbox/src/testing.ts'

async function started(t: TestContext, options: MediaOptions = {}): Promise<MediaHost> {
  const media = await startMediaHost(options)
  t.after(() => media.stop())
  return media
}

interface Asked {
  method?: string
  body?: Uint8Array
  headers?: Record<string, string>
  /** Certificate of the authority that the client trusts, as PEM. By default it is that of the simulator. */
  ca?: string | undefined
  servername?: string
}

function ask(media: MediaHost, path: string, { method = 'GET', body, headers = {}, ca = media.caPem, servername }: Asked = {}) {
  const [host, port] = media.host.split(':')
  const agent = new Agent({ ca })
  return new Promise<{ status: number; body: Buffer; headers: Record<string, unknown> }>((resolve, reject) => {
    const asked = request({ host, port, path, method, headers, agent, ...(servername ? { servername } : {}) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), headers: response.headers }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const pathFor = (blob: Uint8Array, kind = 'image') => `/mms/${kind}/${createHash('sha256').update(blob).digest('base64url')}`
const upload = (media: MediaHost, blob: Uint8Array) =>
  ask(media, `${pathFor(blob)}?auth=a&token=b`, { method: 'POST', body: blob })

test('what was uploaded is served at the direct path it was given', async (t) => {
  const media = await started(t)
  const blob = randomBytes(1000)
  const answer = await upload(media, blob)
  assert.equal(answer.status, 200)
  const { url, direct_path } = JSON.parse(answer.body.toString())
  assert.equal(url, `https://${media.host}${direct_path}`)
  assert.match(direct_path, /^\/v\/[^?]+\?ccb=/, 'as on the network, with a query')
  const served = await ask(media, direct_path)
  assert.equal(served.status, 200)
  assert.deepEqual(served.body, blob)
  assert.deepEqual(await media.get(direct_path), blob)
})

test('an upload whose hash is not that of its path is refused', async (t) => {
  const media = await started(t)
  const blob = randomBytes(100)
  const answer = await ask(media, pathFor(randomBytes(100)), { method: 'POST', body: blob })
  assert.equal(answer.status, 400)
  assert.match(answer.body.toString(), /hash/)
  assert.equal((await ask(media, '/mms/image/short', { method: 'POST', body: blob })).status, 400)
})

test('a part of the media is served when a range is asked for', async (t) => {
  const media = await started(t)
  const blob = randomBytes(1000)
  const { directPath } = await media.put(blob)
  const middle = await ask(media, directPath, { headers: { range: 'bytes=16-31' } })
  assert.equal(middle.status, 206)
  assert.deepEqual(middle.body, blob.subarray(16, 32))
  assert.equal(middle.headers['content-range'], 'bytes 16-31/1000')
  assert.deepEqual((await ask(media, directPath, { headers: { range: 'bytes=990-' } })).body, blob.subarray(990))
  assert.deepEqual((await ask(media, directPath, { headers: { range: 'bytes=-10' } })).body, blob.subarray(990))
  assert.deepEqual((await ask(media, directPath, { headers: { range: 'bytes=900-5000' } })).body, blob.subarray(900))
  assert.equal((await ask(media, directPath, { headers: { range: 'bytes=1000-' } })).status, 416)
})

test('unknown media is not found', async (t) => {
  const media = await started(t)
  assert.equal((await ask(media, `/v/image/${'A'.repeat(43)}`)).status, 404)
  assert.equal((await ask(media, '/v/image/..%2Fmedia-ca.key.pem')).status, 404)
})

test('the certificate holds for loopback and for the fixed media host, under our authority only', async (t) => {
  const media = await started(t)
  const { directPath } = await media.put(randomBytes(10))
  assert.equal((await ask(media, directPath)).status, 200)
  assert.equal((await ask(media, directPath, { servername: 'mmg.whatsapp.net' })).status, 200)
  assert.equal((await ask(media, directPath, { servername: 'localhost' })).status, 200)
  await assert.rejects(ask(media, directPath, { servername: 'example.com' }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  const stranger = await started(t)
  await assert.rejects(ask(media, directPath, { ca: stranger.caPem }), /certificate|signature/i)
})

test('media and authority survive a restart in the same folder', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-media-'))
  t.after(() => rm(dir, { recursive: true }))
  const before = await startMediaHost({ dir })
  const { directPath } = await before.put(Buffer.from('kept'))
  await before.stop()
  const after = await started(t, { dir })
  assert.deepEqual([after.caPem, after.host], [before.caPem, before.host])
  assert.equal((await ask(after, directPath, { ca: before.caPem })).body.toString(), 'kept')
  await after.clear()
  assert.equal((await ask(after, directPath)).status, 404)
})

test('faults fail, cut and spoil transfers', async (t) => {
  const faults: { on: string; action: FaultAction }[] = []
  const take = (on: string) => {
    const at = faults.findIndex((fault) => fault.on === on)
    return at < 0 ? undefined : faults.splice(at, 1)[0]!.action
  }
  const media = await started(t, { faults: take })
  const blob = randomBytes(100_000)
  faults.push({ on: 'upload', action: { http_status: 503 } })
  assert.equal((await upload(media, blob)).status, 503)
  const { direct_path } = JSON.parse((await upload(media, blob)).body.toString())
  faults.push({ on: 'download', action: 'drop' })
  await assert.rejects(ask(media, direct_path))
  faults.push({ on: 'download', action: 'cut' })
  await assert.rejects(ask(media, direct_path))
  faults.push({ on: 'download', action: { corrupt: true } })
  assert.notDeepEqual((await ask(media, direct_path)).body, blob)
  assert.deepEqual((await ask(media, direct_path)).body, blob)
})

test('plain content is served as it is', async (t) => {
  const picture = { type: 'image/jpeg', bytes: Buffer.from('jpeg') }
  const media = await started(t, { plain: (path) => (path === '/pps/1.jpg' ? picture : undefined) })
  const served = await ask(media, '/pps/1.jpg')
  assert.equal(served.headers['content-type'], 'image/jpeg')
  assert.equal(served.body.toString(), 'jpeg')
})

test('sealed media opens with its key and with no other', () => {
  const plain = randomBytes(5000)
  const sealed = sealMedia(plain, 'video')
  assert.deepEqual(openMedia(sealed.blob, 'video', sealed.mediaKey), plain)
  assert.throws(() => openMedia(sealed.blob, 'image', sealed.mediaKey), /MAC/)
  assert.throws(() => openMedia(sealed.blob, 'video', randomBytes(32)), /MAC/)
})
