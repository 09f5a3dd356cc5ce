/** Received files: what the event says, and a sealed link in place of the file. shared/api/webhook-payloads.md, 2.3; messages.md, media.download. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANA, content, ME, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory()
})
after(() => story.world.stop())

const bytes = Buffer.from('the bytes of a file '.repeat(1_000))
const base64 = bytes.toString('base64')
const link = /^http:\/\/127\.0\.0\.1:\d+\/media\/[\w-]{100,1500}$/

/** The whole event; what stands for the link is the link itself, once it looks like one. */
async function media(message: object, type: string, block: Record<string, unknown>): Promise<string> {
  const { id } = await story.world.sandbox.send(ANA, ME, message)
  const event = content(await story.received(id))
  const { url } = event[type] as { url: string }
  assert.match(url, link)
  assert.ok(url.startsWith(`${story.world.gateway.baseUrl}/media/`))
  const shared = { url, file_size: bytes.length, download_error: null }
  assert.deepEqual(event, story.full({ message_id: id, message_type: type, [type]: { ...shared, ...block } }))
  return url
}

const size = { width: 1_080, height: 1_920 }

test('image', async () => {
  await media({ image: base64, caption: 'Receipt', ...size }, 'image', { mime_type: 'image/jpeg', caption: 'Receipt', ...size })
})

test('video, GIF and round video', async () => {
  const shown = { mime_type: 'video/mp4', caption: null, seconds: 13, ...size }
  await media({ video: base64, seconds: 13, ...size }, 'video', { ...shown, gif: false, ptv: false })
  await media({ video: base64, seconds: 13, gif: true, ...size }, 'video', { ...shown, gif: true, ptv: false })
  await media({ ptv: base64, seconds: 13, ...size }, 'video', { ...shown, gif: false, ptv: true })
})

test('audio and sticker', async () => {
  await media({ audio: base64, ptt: true, seconds: 10 }, 'audio', { mime_type: 'audio/ogg; codecs=opus', ptt: true, seconds: 10 })
  await media({ sticker: base64, width: 512, height: 512 }, 'sticker', {
    mime_type: 'image/webp',
    animated: false,
    width: 512,
    height: 512,
  })
})

test('document, with and without a caption', async () => {
  const shown = { mime_type: 'application/pdf', file_name: 'Invoice.pdf', title: 'Invoice.pdf', page_count: null }
  const message = { document: base64, mime: 'application/pdf', file_name: 'Invoice.pdf' }
  await media(message, 'document', { ...shown, caption: null })
  await media({ ...message, caption: 'Due soon' }, 'document', { ...shown, caption: 'Due soon' })
})

test('view-once media never has a link', async () => {
  await story.fromAna(
    { image: base64, view_once: true },
    {
      message_type: 'image',
      view_once: true,
      image: {
        url: null,
        mime_type: 'image/jpeg',
        file_size: bytes.length,
        download_error: 'view once media is not available on linked devices',
        caption: null,
        width: null,
        height: null,
      },
    },
  )
})

test('a file without a key, or on a stranger’s host, has none either', async () => {
  for (const [more, problem] of [
    [{ directPath: '/v/x' }, 'the message has no key for its file'],
    [
      { url: 'http://169.254.169.254/latest', mediaKey: Buffer.alloc(32, 1).toString('base64') },
      'the message does not say where its file lies',
    ],
  ] as const)
    await story.fromAna(
      { proto: { imageMessage: { mimetype: 'image/png', ...more } } },
      {
        message_type: 'image',
        image: {
          url: null,
          mime_type: 'image/png',
          file_size: null,
          download_error: problem,
          caption: null,
          width: null,
          height: null,
        },
      },
    )
})

test('pictures of an album name it', async () => {
  const association = { associationType: 1, parentMessageKey: { id: '3EB0A1B0', fromMe: false } }
  const imageMessage = { mimetype: 'image/jpeg' }
  const { id } = await story.world.sandbox.send(ANA, ME, {
    proto: { associatedChildMessage: { message: { imageMessage } }, messageContextInfo: { messageAssociation: association } },
  })
  assert.equal((await story.received(id)).album_message_id, '3EB0A1B0')
})
