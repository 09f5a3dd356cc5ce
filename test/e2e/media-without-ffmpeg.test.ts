import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { must } from '../harness/http.ts'
import * as files from '../harness/media-files.ts'
import { withoutFfmpeg } from '../harness/media-files.ts'
import type { InboxItem } from '../harness/sandbox.ts'
import { startWorld } from '../harness/world.ts'

const ANA = '5511988880001'

const world = await startWorld({ env: { SVC_FFMPEG: 'off' } })
await world.sandbox.createContact(ANA, { name: 'Ana' })
const instance = await world.gateway.connected(world.sandbox, '5511999990000', world.receiver)
after(() => world.stop())

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function outcome(path: string, body: Record<string, unknown>) {
  const { message_id } = await world.gateway.must(instance, 'POST', path, { phone: ANA, ...body })
  return world.receiver.waitFor('a delivery', (event) => event.type === 'delivery' && event.message_id === message_id, 30_000)
}
let seen = 0
async function next() {
  const [item] = await world.sandbox.inbox(ANA, seen, 10_000)
  assert.ok(item, 'nothing reached her')
  seen = item.seq
  return item as InboxItem & { media: { mime: string; sha256: string } }
}

test('the service is ready and says what it lacks', async () => {
  const { status, checks } = await must<{ status: string; checks: { media: string } }>(
    'GET',
    `${world.gateway.baseUrl}/health/ready`,
  )
  assert.equal(status, 'ok')
  assert.equal(checks.media, 'no converter')
})

test('a moving GIF is refused, a picture and a sticker leave', async () => {
  const refused = await outcome('/send-gif', { gif: base64(await files.movingGif()) })
  assert.equal(refused.error_code, 'media_invalid')
  assert.match(String(refused.error_message), /no converter/)
  const picture = await files.image('jpeg')
  assert.equal((await outcome('/send-image', { image: base64(picture) })).status, 'sent')
  assert.equal((await next()).media.sha256, sha256(picture))
  assert.equal((await outcome('/send-sticker', { sticker: base64(await files.image('webp')) })).status, 'sent')
  assert.equal((await next()).media.mime, 'image/webp')
})

test('sound goes as it is, with its real type', { skip: withoutFfmpeg }, async () => {
  const sound = await files.sound('mp3')
  assert.equal((await outcome('/send-audio', { audio: base64(sound) })).status, 'sent')
  const { media } = await next()
  assert.deepEqual([media.mime, media.sha256], ['audio/mpeg', sha256(sound)])
})

test('an mp4 leaves as it is, with its length and size', { skip: withoutFfmpeg }, async () => {
  assert.equal((await outcome('/send-video', { video: base64(await files.film('mp4')) })).status, 'sent')
  const { width, height, seconds } = (await next()).proto.videoMessage as Record<string, unknown>
  assert.deepEqual([width, height, seconds], [320, 240, 2])
})
