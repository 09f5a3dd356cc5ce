import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { serveFiles } from '../harness/file-server.ts'
import { must } from '../harness/http.ts'
import * as files from '../harness/media-files.ts'
import { withoutFfmpeg } from '../harness/media-files.ts'
import type { InboxItem } from '../harness/sandbox.ts'
import { storedMedia } from '../harness/stored-media.ts'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'

const world = await startWorld({ own: true, env: { SVC_FFMPEG: '' } })
const web = await serveFiles()
await world.sandbox.createContact(ANA, { name: 'Ana' })
await world.sandbox.createContact(BEN, { name: 'Ben' })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
after(async () => {
  await web.stop()
  await world.stop()
})

type Media = { mime: string; bytes: number; sha256: string; error?: string }
type Item = InboxItem & { media: Media | null }
type Fields = Record<string, unknown>

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

const lastSeq = new Map<string, number>()
async function next(contact: string): Promise<Item> {
  const [item] = await world.sandbox.inbox(contact, lastSeq.get(contact) ?? 0, 20_000)
  assert.ok(item, `nothing reached ${contact}`)
  lastSeq.set(contact, item.seq)
  return item as Item
}
const deliveryOf = (id: string) =>
  world.receiver.waitFor(`delivery of ${id}`, ({ type, message_id }) => type === 'delivery' && message_id === id, 40_000)

async function send(path: string, body: Fields): Promise<string> {
  const answer = await world.gateway.must(instance, 'POST', path, body)
  return String(answer.message_id)
}

async function arrives(path: string, body: Fields): Promise<{ item: Item; media: Media; id: string }> {
  const id = await send(path, { phone: ANA, ...body })
  const delivery = await deliveryOf(id)
  assert.equal(delivery.status, 'sent', `${delivery.error_code}: ${delivery.error_message}`)
  const item = await next(ANA)
  assert.equal(item.id, id)
  assert.ok(item.media, 'it carries no media')
  assert.equal(item.media.error, undefined)
  return { item, media: item.media, id }
}

async function refused(path: string, body: Fields) {
  const id = await send(path, { phone: ANA, ...body })
  const delivery = await deliveryOf(id)
  assert.equal(delivery.status, 'failed')
  return { code: delivery.error_code, message: String(delivery.error_message) }
}

function content(item: Item, field: string, wrapper?: string): Fields {
  const outer = wrapper ? ((item.proto[wrapper] as Fields).message as Fields) : item.proto
  const inner = outer[field] as Fields | undefined
  assert.ok(inner, `${field} is not in ${JSON.stringify(Object.keys(outer))}`)
  return inner
}

test('an image as plain base64 arrives byte for byte, with its size, thumbnail and caption', async () => {
  const picture = await files.image('jpeg', 640, 360)
  const { item, media } = await arrives('/send-image', { image: base64(picture), caption: '  Receipt *1042* ' })
  assert.equal(media.sha256, sha256(picture))
  assert.equal(media.mime, 'image/jpeg')
  const { width, height, caption, jpegThumbnail } = content(item, 'imageMessage')
  assert.deepEqual([width, height, caption], [640, 360, '  Receipt *1042* '])
  const thumbnail = await sharp(Buffer.from(String(jpegThumbnail), 'base64')).metadata()
  assert.equal(thumbnail.format, 'jpeg')
  assert.equal(thumbnail.width, 72)
})

for (const [name, size] of [
  ['small', 300],
  ['large', 900_001],
] as const)
  test(`base64 in lines, without padding or URL-safe, in a ${name} body, arrives byte for byte`, async () => {
    // Bytes after the end of a JPEG are ignored, so random bytes can give it any size.
    const picture = Buffer.concat([await files.image('jpeg'), randomBytes(size)])
    const text = base64(picture)
    for (const spelled of [
      `${text.replace(/.{76}/g, '$&\n')}\n`,
      `data:image/jpeg;base64,${text.replace(/.{64}/g, '$&\r\n')}`,
      text.replace(/=+$/, ''),
      picture.toString('base64url'),
    ]) {
      const { media } = await arrives('/send-image', { image: spelled })
      assert.equal(media.sha256, sha256(picture))
    }
  })

test('an image as a data URL, whose declared type does not count', async () => {
  const picture = await files.image('png')
  const { media } = await arrives('/send-image', { image: `data:image/jpeg;base64,${base64(picture)}` })
  assert.equal(media.sha256, sha256(picture))
  assert.equal(media.mime, 'image/png')
})

test('the same by URL, through a redirect', async () => {
  const picture = await files.image('jpeg', 200, 300)
  web.put('/a.jpg', picture)
  const { item, media } = await arrives('/send-image', { image: web.redirect('/a.jpg') })
  assert.equal(media.sha256, sha256(picture))
  assert.deepEqual([content(item, 'imageMessage').width, content(item, 'imageMessage').height], [200, 300])
})

test('an image larger than 256 KB is read by another thread and arrives the same', async () => {
  const picture = await sharp(randomBytes(900 * 900 * 3), { raw: { width: 900, height: 900, channels: 3 } })
    .png()
    .toBuffer()
  assert.ok(picture.byteLength > 2_000_000)
  const { media } = await arrives('/send-image', { image: base64(picture) })
  assert.equal(media.sha256, sha256(picture))
})

test('what may be seen once is wrapped and marked so, and its stanza tells its kind', async () => {
  const { item } = await arrives('/send-image', { image: base64(await files.image('jpeg')), view_once: true })
  assert.equal(content(item, 'imageMessage', 'viewOnceMessageV2').viewOnce, true)
  const voice = await arrives('/send-audio', { audio: base64(SILENCE), view_once: true })
  assert.equal(content(voice.item, 'audioMessage', 'viewOnceMessageV2Extension').viewOnce, true)
})

test('a caption mentions, an answer quotes, also around what may be seen once', async () => {
  const { id } = await world.sandbox.send(ANA, ME, { text: 'Show me' })
  await world.receiver.waitFor('the question', ({ type, message_id }) => type === 'received' && message_id === id)
  const body = { caption: `for @${BEN}`, mentions: [BEN], reply_to_message_id: id, view_once: true }
  const { item } = await arrives('/send-image', { image: base64(await files.image('jpeg')), ...body })
  const info = content(item, 'imageMessage', 'viewOnceMessageV2').contextInfo as Fields
  assert.equal(info.stanzaId, id)
  assert.equal((info.mentionedJid as string[]).length, 1)
})

test('in a group a mention in a caption and everybody are both told', async () => {
  const { id: group } = await world.sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME] })
  const chat = `${group.split('@')[0]!.replace(/-group$/, '')}-group`
  const picture = await files.image('jpeg')
  await send('/send-image', { phone: chat, image: base64(picture), caption: `hello @${ANA}`, mentions: [ANA], mention_all: true })
  const item = await next(ANA)
  assert.equal(item.media?.sha256, sha256(picture))
  const info = content(item, 'imageMessage').contextInfo as Fields
  assert.equal(info.nonJidMentions, 1)
  assert.ok((info.mentionedJid as string[]).length >= 2)
  assert.equal((await next(BEN)).media?.sha256, sha256(picture))
})

test('a video arrives with its length, size and first frame', { skip: withoutFfmpeg }, async () => {
  const film = await files.film('mp4', '320x240', 3)
  const { item, media } = await arrives('/send-video', { video: base64(film), caption: 'Demo' })
  assert.equal(media.sha256, sha256(film))
  assert.equal(media.mime, 'video/mp4')
  const { width, height, seconds, caption, jpegThumbnail, gifPlayback } = content(item, 'videoMessage')
  assert.deepEqual([width, height, seconds, caption], [320, 240, 3, 'Demo'])
  assert.ok(String(jpegThumbnail).length > 100)
  assert.ok(!gifPlayback)
})

/** An ogg/opus file that lasts one second. It is built without ffmpeg, from a header, tags, and packets of silence. */
const SILENCE = oggOpus()

test('a voice note in ogg/opus arrives byte for byte and is marked as one', async () => {
  const { item, media } = await arrives('/send-audio', { audio: base64(SILENCE) })
  assert.equal(media.sha256, sha256(SILENCE))
  assert.equal(media.mime, 'audio/ogg; codecs=opus')
  assert.equal(content(item, 'audioMessage').ptt, true)
})

test('an mp3 becomes a voice note in ogg/opus with its length and 64 values of loudness', { skip: withoutFfmpeg }, async () => {
  const { item, media } = await arrives('/send-audio', { audio: base64(await files.sound('mp3', 3)) })
  assert.equal(media.mime, 'audio/ogg; codecs=opus')
  const { seconds, waveform, ptt } = content(item, 'audioMessage')
  assert.deepEqual([seconds, ptt], [3, true])
  const values = [...Buffer.from(String(waveform), 'base64')]
  assert.equal(values.length, 64)
  assert.equal(Math.max(...values), 100)
})

test('without a loudness picture when none is wanted', { skip: withoutFfmpeg }, async () => {
  const { item } = await arrives('/send-audio', { audio: base64(await files.sound('ogg')), waveform: false })
  assert.ok(!content(item, 'audioMessage').waveform)
})

test('an audio file stays what it is', { skip: withoutFfmpeg }, async () => {
  const sound = await files.sound('mp3', 2)
  const { item, media } = await arrives('/send-audio', { audio: base64(sound), ptt: false })
  assert.equal(media.sha256, sha256(sound))
  assert.equal(media.mime, 'audio/mpeg')
  assert.deepEqual([content(item, 'audioMessage').ptt ?? false, content(item, 'audioMessage').seconds], [false, 2])
})

test('a document arrives under its name and type, with a caption in its own wrapper', async () => {
  const file = randomBytes(5_000)
  const { item, media } = await arrives('/send-document/pdf', {
    document: base64(file),
    file_name: 'Invoice 1042',
    caption: 'Due on Friday',
  })
  assert.equal(media.sha256, sha256(file))
  assert.equal(media.mime, 'application/pdf')
  const { fileName, caption } = content(item, 'documentMessage', 'documentWithCaptionMessage')
  assert.deepEqual([fileName, caption], ['Invoice 1042.pdf', 'Due on Friday'])
})

for (const [path, fields, name, mime] of [
  ['/send-document/PDF', { file_name: 'a.pdf' }, 'a.pdf', 'application/pdf'],
  [
    '/send-document',
    { file_name: 'table.xlsx' },
    'table.xlsx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  ['/send-document', { extension: 'zzz' }, 'file.zzz', 'application/octet-stream'],
  ['/send-document/csv', { extension: 'pdf', file_name: 'a.b' }, 'a.b.csv', 'text/csv'],
] as const) {
  test(`a document by ${path} with ${JSON.stringify(fields)} is called ${name}`, async () => {
    const { item, media } = await arrives(path, { document: base64(Buffer.from('x')), ...fields })
    assert.equal(media.mime, mime)
    assert.equal(content(item, 'documentMessage').fileName, name)
  })
}

test('an answer to an image that is to be seen once shows nothing of it', async () => {
  const { id } = await arrives('/send-image', { image: base64(await files.image('png')), caption: 'secret', view_once: true })
  await world.gateway.sendText(instance, ANA, 'seen?', { reply_to_message_id: id })
  const { contextInfo } = (await next(ANA)).proto.extendedTextMessage as { contextInfo: Fields }
  assert.equal(contextInfo.stanzaId, id)
  assert.deepEqual(contextInfo.quotedMessage, { imageMessage: { viewOnce: true } })
})

test('the caption of an own document, image and video can be edited', async () => {
  const { id } = await arrives('/send-document/txt', { document: base64(Buffer.from('hello')), caption: 'Due on Friday' })
  const edit = await send('/send-document', { phone: ANA, edit_message_id: id, caption: 'Due on Monday' })
  assert.equal((await deliveryOf(edit)).status, 'sent')
  assert.equal((await deliveryOf(edit)).reference_message_id, id)
  const protocol = (await next(ANA)).proto.protocolMessage as { key: Fields; editedMessage: Fields }
  assert.equal(protocol.key.id, id)
  assert.ok(JSON.stringify(protocol.editedMessage).includes('"caption":"Due on Monday"'))

  const image = await arrives('/send-image', { image: base64(await files.image('jpeg')), caption: 'one' })
  await world.gateway.sendText(instance, ANA, 'two', { edit_message_id: image.id })
  const second = (await next(ANA)).proto.protocolMessage as { editedMessage: { imageMessage?: Fields } }
  assert.equal(second.editedMessage.imageMessage?.caption, 'two')
})

test('a WebP sticker arrives as it is, and with a publisher when it is given one', async () => {
  const sticker = await files.image('webp', 512, 512)
  const plain = await arrives('/send-sticker', { sticker: base64(sticker) })
  assert.equal(plain.media.sha256, sha256(sticker))
  assert.deepEqual([content(plain.item, 'stickerMessage').width, content(plain.item, 'stickerMessage').isAnimated], [512, false])
  const signed = await arrives('/send-sticker', { sticker: base64(await files.movingWebp()), sticker_author: 'Example 🙂' })
  assert.notEqual(signed.media.sha256, sha256(await files.movingWebp()))
  assert.equal(content(signed.item, 'stickerMessage').isAnimated, true)
})

test('a picture becomes a sticker of 512 by 512', async () => {
  const { item, media } = await arrives('/send-sticker', { sticker: base64(await files.image('png')) })
  assert.equal(media.mime, 'image/webp')
  assert.deepEqual([content(item, 'stickerMessage').width, content(item, 'stickerMessage').height], [512, 512])
})

test('a GIF becomes a film that plays by itself', { skip: withoutFfmpeg }, async () => {
  const { item, media } = await arrives('/send-gif', { gif: base64(await files.movingGif()), caption: 'ha' })
  assert.equal(media.mime, 'video/mp4')
  const { gifPlayback, caption, width } = content(item, 'videoMessage')
  assert.deepEqual([gifPlayback, caption, width], [true, 'ha', 128])
})

test('a round video is one, in a media stanza', { skip: withoutFfmpeg }, async () => {
  const film = await files.film('mp4', '240x240', 2)
  const { item, media } = await arrives('/send-ptv', { ptv: base64(film) })
  assert.equal(media.sha256, sha256(film))
  assert.deepEqual([content(item, 'ptvMessage').seconds, content(item, 'ptvMessage').width], [2, 240])
})

test('a channel takes a medium unencrypted', async () => {
  const { id } = await world.sandbox.post<{ id: string }>('/newsletters', { name: 'News', owner: ME, subscribers: [] })
  const picture = await files.image('jpeg', 400, 200)
  const message = await send('/send-image', { phone: id, image: base64(picture), caption: 'New arrivals', view_once: true })
  const delivery = await deliveryOf(message)
  assert.equal(delivery.status, 'sent', `${delivery.error_code}: ${delivery.error_message}`)
  type Post = { media_type: string; attrs: Fields; proto: { imageMessage?: Fields } }
  const { items } = await must<{ items: Post[] }>('GET', `${world.sandbox.url}/newsletters/${id}/posts`)
  const post = items.at(-1)!
  assert.equal(post.media_type, 'image')
  const { caption, fileSha256, mediaKey, directPath } = post.proto.imageMessage ?? {}
  assert.equal(caption, 'New arrivals')
  assert.equal(Buffer.from(String(fileSha256), 'base64').toString('hex'), sha256(picture))
  assert.ok(!mediaKey)
  assert.ok(String(directPath).includes('newsletter-image'))
  // This attribute must have the form of the handle that the media host returns for an upload.
  assert.match(String(post.attrs.media_id), /^\S+:1$/)
  assert.ok(!('handle' in (post.proto.imageMessage ?? {})))
})

test('a status goes to its audience, by its own operation and by the general one', async () => {
  const picture = await files.image('jpeg', 300, 500)
  for (const [path, phone] of [
    ['/send-image-status', undefined],
    ['/send-image', 'status@broadcast'],
  ] as const) {
    const id = await send(path, { ...(phone ? { phone } : {}), image: base64(picture), caption: 'New' })
    const delivery = await deliveryOf(id)
    assert.equal(delivery.status, 'sent', `${delivery.error_code}: ${delivery.error_message}`)
    assert.equal(delivery.phone, 'status@broadcast')
  }
  if (withoutFfmpeg) return
  const id = await send('/send-video-status', { video: base64(await files.film('mp4')), caption: 'Scenes' })
  assert.equal((await deliveryOf(id)).status, 'sent')
})

test('a status is answered with a GIF and a sticker that quote it', { skip: withoutFfmpeg }, async () => {
  const { id } = await world.sandbox.send(ANA, 'status@broadcast', { text: 'My day' })
  await world.receiver.waitFor('the status', ({ type, message_id }) => type === 'received' && message_id === id)
  const gif = await arrives('/reply-status-gif', { status_message_id: id, gif: base64(await files.movingGif()) })
  const sticker = await arrives('/reply-status-sticker', { status_message_id: id, sticker: base64(await files.image('webp')) })
  for (const info of [content(gif.item, 'videoMessage').contextInfo, content(sticker.item, 'stickerMessage').contextInfo]) {
    assert.equal((info as Fields).stanzaId, id)
    assert.equal((info as Fields).remoteJid, 'status@broadcast')
  }
  const lost = await refused('/reply-status-gif', { status_message_id: '3EB0000000000000000000', gif: base64(SILENCE) })
  assert.equal(lost.code, 'message_not_found')
})

test('messages keep their order behind one that takes its time', async () => {
  // Ben has already received the statuses that were sent to everybody, so these are skipped.
  for (const { seq } of await world.sandbox.inbox(BEN, lastSeq.get(BEN) ?? 0)) lastSeq.set(BEN, seq)
  const slow = web.slow('/slow.jpg', await files.image('jpeg'), 400)
  const first = await send('/send-image', { phone: BEN, image: slow, caption: 'first' })
  await world.gateway.sendText(instance, BEN, 'second')
  assert.equal((await next(BEN)).id, first)
  assert.equal((await next(BEN)).text, 'second')
})

test('inline media waits in the store, sealed, goes with its item, and survives a restart of the service', async () => {
  const file = Buffer.from('a document nobody else should read, '.repeat(100))
  await world.sandbox.setDown(true)
  const id = await send('/send-document/txt', { phone: ANA, document: base64(file) })
  const waiting = () => storedMedia(world.dir)
  const [blob, ...more] = await waiting()
  assert.ok(blob && more.length === 0, 'there is not one blob')
  assert.ok(!Buffer.from(blob).includes('nobody else'))
  await world.restartService()
  await world.sandbox.setDown(false)
  const item = await next(ANA)
  assert.equal(item.id, id)
  assert.equal(item.media?.sha256, sha256(file))
  await deliveryOf(id)
  // The item is removed from the queue before its blob (the stored media) is deleted. So a kill between the two steps
  // may leave a blob without an item, but never an item without its blob.
  for (let left = 200; (await waiting()).length > 0; left--) {
    assert.ok(left > 0, 'the blob has outlived its item')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})

test('a document from an address is encrypted as it comes: its plain bytes never lie on the disk', async () => {
  const { readdir, readFile } = await import('node:fs/promises')
  const { join } = await import('node:path')
  const file = Buffer.from('a document nobody else should read, '.repeat(20_000))
  // The test calls this function after it has checked the first half of the file; the server then sends the second
  // half.
  let comeOn = () => {}
  const url = web.answer('/halves.txt', (response) => {
    response.writeHead(200, { 'content-length': file.byteLength }).write(file.subarray(0, file.byteLength / 2))
    comeOn = () => response.end(file.subarray(file.byteLength / 2))
  })
  const id = await send('/send-document/txt', { phone: ANA, document: url })
  const folder = join(world.dir, 'tmp')
  async function begun(): Promise<Buffer> {
    for (let left = 1_000; left > 0; left--) {
      const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
      const whole = found.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name)))
      const bytes = Buffer.concat(await Promise.all(whole))
      if (bytes.byteLength > 0) return bytes
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`no file of it was written to ${folder}`)
  }
  assert.ok(!(await begun()).includes('nobody else'), 'plain bytes lie on the disk')
  comeOn()
  assert.equal((await deliveryOf(id)).status, 'sent')
  const item = await next(ANA)
  assert.deepEqual([item.media?.sha256, item.media?.bytes], [sha256(file), file.byteLength])
})

function oggOpus(): Buffer {
  const head = Buffer.from('4f707573486561640101380180bb0000000000', 'hex')
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.from('0300000073766300000000', 'hex')])
  const packets = Array.from({ length: 50 }, () => Buffer.from([0xf8, 0xff, 0xfe]))
  return Buffer.concat([page([head], 0, 0, 2), page([tags], 1, 0, 0), page(packets, 2, 48_000, 4)])
}

function page(packets: readonly Buffer[], sequence: number, granule: number, flags: number): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[5] = flags
  head.writeBigUInt64LE(BigInt(granule), 6)
  head.writeUInt32LE(7, 14)
  head.writeUInt32LE(sequence, 18)
  head[26] = packets.length
  const whole = Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
  let sum = 0
  for (const byte of whole) {
    sum = (sum ^ (byte << 24)) >>> 0
    for (let bit = 0; bit < 8; bit++) sum = (sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1) >>> 0
  }
  whole.writeUInt32LE(sum, 22)
  return whole
}
