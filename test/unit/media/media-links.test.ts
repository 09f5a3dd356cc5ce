import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sealMedia } from '../../../packages/sandbox/src/testing.ts'
import { DAY } from '../../../src/domain/clock.ts'
import type { ReceivedFile } from '../../../src/domain/file-download.ts'
import { disposition, typeOf } from '../../../src/features/media.ts'
import { copyNames, isOver } from '../../../src/media/copies/copy-name.ts'
import { asStored, ChangedFile, decrypted } from '../../../src/media/decrypt.ts'
import { createMediaLinks, linkLife } from '../../../src/media/media-links.ts'

const NOW = 1_767_225_600_000
const links = createMediaLinks(new Uint8Array(32).fill(7))
const file: ReceivedFile = {
  kind: 'document',
  path: '/v/t62.7119-24/1_n.enc?ccb=11-4&oh=01_Q5&oe=69&_nc_sid=5e03e0',
  mediaKey: Buffer.alloc(32, 1),
  fileSha256: Buffer.alloc(32, 2),
  fileEncSha256: null,
  fileLength: 1_234,
  mimeType: 'application/pdf',
  fileName: 'Invoice.pdf',
  key: { id: '3EB0796DC6B777C0C7CD', remoteJid: '1@g.us', fromMe: false, participant: '2@lid' },
  at: NOW,
}

test('what is sealed is what is opened', () => {
  const link = links.seal('i', 'tag', file, NOW)!
  assert.match(link, /^[\w-]{1,1500}$/)
  assert.deepEqual(links.open(link, NOW + DAY), { instance: 'i', tokenTag: 'tag', file, expiresAt: NOW + DAY })
})

test('with a bucket a link is valid as long as the copy, and leads to a name that only the service knows', () => {
  const kept = createMediaLinks(new Uint8Array(32).fill(7), linkLife(30))
  const link = kept.seal('i', 'tag', file, NOW)!
  const opened = links.open(link, NOW + 30 * DAY)!
  assert.equal(links.open(link, NOW + 30 * DAY + 1), null)
  const name = copyNames(new Uint8Array(32).fill(7))(link, opened)
  assert.match(name, /^2026-01-31\/i\/[\w-]{43}$/)
  assert.equal(copyNames(new Uint8Array(32).fill(7))(link, opened), name)
  assert.notEqual(copyNames(new Uint8Array(32).fill(8))(link, opened), name)
  assert.notEqual(copyNames(new Uint8Array(32).fill(7))(kept.seal('i', 'tag', file, NOW)!, opened), name)
  assert.deepEqual(
    [isOver(name, NOW + 30 * DAY), isOver(name, NOW + 31 * DAY), isOver('readme.txt', NOW + 31 * DAY)],
    [false, true, false],
  )
})

test('a link of yesterday, of another service, or changed in any place leads nowhere', () => {
  const link = links.seal('i', 'tag', file, NOW)!
  assert.equal(links.open(link, NOW + DAY + 1), null)
  assert.equal(createMediaLinks(new Uint8Array(32).fill(8)).open(link, NOW), null)
  const bytes = Buffer.from(link, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.equal(links.open(changed.toString('base64url'), NOW), null)
  }
  for (const wrong of ['', 'x', '%', 'a'.repeat(1_501)]) assert.equal(links.open(wrong, NOW), null)
})

test('a link has one way to be written: its last letter has bits that say nothing, and they count', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // The names have different lengths, so that every possible number of unused bits occurs in the base64 of the link.
  for (const fileName of ['a', 'ab', 'abc']) {
    const link = links.seal('i', 'tag', { ...file, fileName }, NOW)!
    const open = [...letters].filter((letter) => links.open(link.slice(0, -1) + letter, NOW) !== null)
    assert.deepEqual(open, [link.at(-1)])
  }
})

test('a long name is shortened until the link fits; a path that cannot fit has no link', () => {
  const long = links.seal('i', 'tag', { ...file, fileName: `${'長'.repeat(250)}.pdf` }, NOW)!
  assert.ok(long.length <= 1_500)
  assert.ok(links.open(long, NOW)!.file.fileName!.endsWith('.pdf'))
  assert.equal(links.seal('i', 'tag', { ...file, path: `/${'x'.repeat(2_000)}` }, NOW), null)
})

async function* inChunks(blob: Uint8Array, size: number) {
  for (let at = 0; at < blob.length; at += size) yield blob.subarray(at, at + size)
}

async function read(of: ReceivedFile, blob: Uint8Array, size = 1_000): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of decrypted(of, inChunks(blob, size))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

for (const size of [0, 1, 15, 16, 17, 4_096, 100_003])
  for (const chunk of [1, 7, 4_096, 65_536]) {
    if (size / chunk > 50_000) continue
    test(`${size} bytes in chunks of ${chunk} are whole`, async () => {
      const plain = randomBytes(size)
      const { blob, ...sealed } = sealMedia(plain, 'document')
      assert.ok((await read({ ...file, ...sealed }, blob, chunk)).equals(plain))
    })
  }

for (const size of [0, 1, 16, 100_003])
  test(`a file of ${size} bytes of a channel, unencrypted, arrives whole, and never when it was changed`, async () => {
    const plain = randomBytes(size)
    const open = { ...file, mediaKey: null, fileSha256: createHash('sha256').update(plain).digest(), fileEncSha256: null }
    assert.ok((await read(open, plain)).equals(plain))
    const longer = Buffer.concat([plain, Buffer.of(1)])
    assert.ok((await readUntilFailure(open, longer, 'longer')) < longer.length)
    assert.ok((await readUntilFailure({ ...open, fileSha256: null }, longer, 'without a hash')) < longer.length)
    if (size > 0) assert.ok((await readUntilFailure(open, plain.subarray(0, -1), 'shorter')) < size)
  })

test('the length on the host says whether a channel’s file that has a key is encrypted', () => {
  const posted = { ...file, isOfChannel: true, fileSha256: Buffer.alloc(32), fileLength: 100 }
  assert.equal(asStored(posted, 100).mediaKey, null)
  for (const sealed of [asStored(posted, 122), asStored(posted, null), asStored({ ...posted, isOfChannel: false }, 100)])
    assert.notEqual(sealed.mediaKey, null)
})

/** Returns the number of bytes that the reader got before the service found that the file was wrong. */
async function readUntilFailure(of: ReceivedFile, blob: Uint8Array, what: string): Promise<number> {
  let length = 0
  async function readAll() {
    for await (const chunk of decrypted(of, inChunks(blob, 1_000))) length += chunk.length
  }
  await assert.rejects(readAll(), ChangedFile, what)
  return length
}

// An earlier bug: if the length of a file was a multiple of 16, the reader got the whole file before its MAC was
// checked.
for (const size of [16, 4_992, 5_000])
  test(`a file of ${size} bytes that was changed in any way fails before it is whole`, async () => {
    const plain = randomBytes(size)
    const { blob, ...sealed } = sealMedia(plain, 'document')
    const good = { ...file, ...sealed }
    const unproved = { ...good, fileSha256: null, fileEncSha256: null }
    const flipped = (at: number) => {
      const changed = Buffer.from(blob)
      changed[at]! ^= 1
      return changed
    }
    const wrong: readonly [what: string, of: ReceivedFile, blob: Uint8Array][] = [
      ['a byte of the file', good, flipped(3)],
      ['a byte of the MAC', good, flipped(blob.length - 1)],
      ['the end is missing', good, blob.subarray(0, -16)],
      ['all is missing', good, Buffer.alloc(0)],
      ['another hash', { ...good, fileSha256: Buffer.alloc(32) }, blob],
      ['another sealed hash', { ...good, fileEncSha256: Buffer.alloc(32) }, blob],
      ['a shorter length and no hash', { ...unproved, fileLength: size - 1 }, blob],
      ['a longer length and no hash', { ...unproved, fileLength: size + 1 }, blob],
      ['another kind', { ...good, kind: 'image' }, blob],
    ]
    for (const [what, of, bytes] of wrong) assert.ok((await readUntilFailure(of, bytes, what)) < size, what)
  })

// Some senders declare a wrong length, and phones show their files nevertheless. So a wrong length alone must not lead
// to a refusal.
test('a length that is not right says nothing of a file whose MAC and hash are', async () => {
  const plain = randomBytes(5_000)
  const { blob, ...sealed } = sealMedia(plain, 'document')
  for (const fileLength of [0, 1, 4_999, 5_001, 1_000_000])
    assert.ok((await read({ ...file, ...sealed, fileLength }, blob)).equals(plain))
})

test('what a browser would run is only saved', () => {
  for (const type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/javascript',
    'application/x-ecmascript',
    'text/x-javascript',
    'text/javascript1.5',
    'text/jscript',
    'text/LiveScript; charset=utf-8',
    'text/xsl',
    'x',
    'a/b\r\nX: y',
  ])
    assert.equal(typeOf(type), 'application/octet-stream', type)
  for (const type of [
    'image/jpeg',
    'audio/ogg; codecs=opus',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ])
    assert.equal(typeOf(type), type)
})

test('a name that a stranger chose stays inside its header', () => {
  assert.equal(disposition(null), 'attachment')
  assert.equal(
    disposition('a"\r\nSet-Cookie: x/\\\ud800é.pdf'),
    `attachment; filename="a___Set-Cookie: x____.pdf"; filename*=UTF-8''a%22__Set-Cookie%3A%20x___%C3%A9.pdf`,
  )
})
