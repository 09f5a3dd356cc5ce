/**
 * Downloads received files from a hostile media host. Each failure must lead to its own error. Only a few bytes may be
 * buffered, and no work may continue after the reader has left.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { sealMedia } from '../../packages/sandbox/src/testing.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { Failure } from '../../src/domain/failures.ts'
import type { ReceivedFile } from '../../src/domain/file-download.ts'
import { PIECE, WINDOW } from '../../src/domain/file-download.ts'
import { fairSlots } from '../../src/egress/fair-slots.ts'
import { createDownloads } from '../../src/engine/downloads.ts'
import { createMediaLinks } from '../../src/media/media-links.ts'
import { createReceivedMedia } from '../../src/media/received-media.ts'
import { pour, startHostileHost } from '../harness/file-host.ts'

const MB = 1_048_576
const quiet = { info() {}, warn() {}, error() {} }
const links = createMediaLinks(randomBytes(32))
const never = new AbortController().signal

const host = await startHostileHost()
const downloads = createDownloads({ network: host.network, egressAllow: [], atOnce: 8, logging: { level: 'fatal' }, log: quiet })
after(async () => {
  await downloads.close()
  await host.stop()
})

const plain = randomBytes(3 * MB)
const { blob, ...sealed } = sealMedia(plain, 'document')

function fileAt(path: string, more: Partial<ReceivedFile> = {}): ReceivedFile {
  return {
    kind: 'document',
    path,
    ...sealed,
    mimeType: 'application/pdf',
    fileName: null,
    key: { id: '3EB0', remoteJid: '1@s.whatsapp.net', fromMe: false },
    at: 0,
    ...more,
  }
}

interface House {
  proxies?: Record<string, string | null>
  total?: number
  perOrigin?: number
  askAgain?: (file: ReceivedFile) => Promise<string>
}

function house({ proxies = { one: null, two: null }, total = 8, perOrigin = 8, askAgain }: House = {}) {
  const media = createReceivedMedia({
    links,
    clock: systemClock,
    proxyOf: (instance) => proxies[instance],
    tokenTagOf: () => 'tag',
    openFile: downloads.open,
    slots: fairSlots({ total, perOrigin }),
    askAgain: (_, file) => askAgain?.(file) ?? Promise.reject(new Failure('media_download_failed')),
  })
  return (file: ReceivedFile, signal: AbortSignal = never, instance = 'one') =>
    media.open(links.seal(instance, 'tag', file, Date.now())!, signal)
}

async function read(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const refused = (opening: Promise<unknown>, message = /./) =>
  assert.rejects(
    opening,
    (error) => error instanceof Failure && error.code === 'media_download_failed' && message.test(error.message),
  )
const isCut = async (opening: ReturnType<ReturnType<typeof house>>) => {
  const opened = await opening
  assert.ok(opened)
  await assert.rejects(read(opened.stream))
}
const whole = (response: ServerResponse) => response.writeHead(200, { 'content-length': blob.length }).end(blob)

test('an honest host: the file is whole, with and without a length that is known', async () => {
  const open = house()
  for (const more of [{}, { fileLength: null, fileSha256: null, fileEncSha256: null }])
    assert.ok((await read((await open(fileAt(host.answer(whole), more)))!.stream)).equals(plain))
})

/**
 * A file without hashes. The service then relies on the MAC and the declared length, so a wrong length makes the file
 * invalid.
 */
const NO_HASH = { fileSha256: null, fileEncSha256: null }

test('a length that is not right opens the file all the same, whose MAC and hashes are', async () => {
  const open = house()
  for (const fileLength of [0, 1_000, plain.length - 1, plain.length + 1, 2 * plain.length]) {
    const opened = await open(fileAt(host.answer(whole), { fileLength }))
    assert.ok((await read(opened!.stream)).equals(plain))
    assert.equal(opened!.length, null, 'a large one whose length nobody knows before its end')
  }
})

test('the length of a small file is what was found, not what was declared', async () => {
  const note = randomBytes(300)
  const { blob: small, ...keys } = sealMedia(note, 'document')
  const opened = await house()(
    fileAt(
      host.answer((response) => response.writeHead(200).end(small)),
      { ...keys, fileLength: 299 },
    ),
  )
  assert.equal(opened!.length, 300)
  assert.ok((await read(opened!.stream)).equals(note))
})

test('a host that announces more or fewer bytes than the message says, which names no hash, is refused before a byte of it', async () => {
  const open = house()
  const longer = host.answer((response) => void pour(response.writeHead(200, { 'content-length': blob.length + MB })))
  await refused(open(fileAt(longer, NO_HASH)))
  const shorter = host.answer((response) => response.writeHead(200, { 'content-length': 1_000 }).end(blob.subarray(0, 1_000)))
  await refused(open(fileAt(shorter, NO_HASH)))
})

test('a host that announces more than any file has is refused before a byte of it', async () => {
  await refused(house()(fileAt(host.answer((response) => void pour(response.writeHead(200, { 'content-length': 3e9 }))))))
})

test('a host that sends more than the message says, which names no hash, unannounced, is left at once', async () => {
  const poured: Promise<number>[] = []
  const path = host.answer((response) => {
    response.writeHead(200)
    response.write(blob)
    poured.push(pour(response, 200 * MB))
  })
  await isCut(house()(fileAt(path, NO_HASH)))
  // The host may have written more than was read, because the sockets of both sides buffer bytes. The limit allows for
  // these buffers.
  assert.ok((await poured[0]!) < 50 * MB)
})

test('a host that ends too early, or breaks off, is a file that breaks off', async () => {
  const open = house()
  await isCut(open(fileAt(host.answer((response) => response.writeHead(200).end(blob.subarray(0, MB))))))
  const broken = host.answer((response) => {
    response.writeHead(200, { 'content-length': blob.length })
    response.write(blob.subarray(0, MB), () => response.destroy())
  })
  await isCut(open(fileAt(broken)))
})

test('a changed byte anywhere, and a changed MAC, break it off before the end', async () => {
  const open = house()
  for (const at of [0, MB, blob.length - 1]) {
    const changed = Buffer.from(blob)
    changed[at]! ^= 1
    const opened = await open(fileAt(host.answer((response) => response.writeHead(200).end(changed))))
    let length = 0
    await assert.rejects(async () => {
      for await (const chunk of opened!.stream) length += chunk.length
    })
    assert.ok(length < plain.length, `${length} bytes had left`)
  }
})

test('a redirect is no answer: nobody goes where it leads', async () => {
  const elsewhere = host.answer(whole)
  const before = host.asked.length
  for (const location of [elsewhere, `https://${host.network.mediaHost}${elsewhere}`, 'http://169.254.169.254/latest'])
    await refused(house()(fileAt(host.answer((response) => response.writeHead(302, { location }).end()))), /answered 302/)
  assert.deepEqual(host.asked.slice(before).includes(elsewhere), false)
})

test('a place that is not on the host, from a message or from the phone, is not gone to', async () => {
  const asked = host.asked.length
  for (const path of ['@127.0.0.1/x', '.evil.example/x', ':1/x', 'https://127.0.0.1/x']) {
    await refused(house()(fileAt(path)))
    await refused(house({ askAgain: async () => path })(fileAt('/v/forgotten')))
  }
  assert.deepEqual(host.asked.slice(asked), Array(4).fill('/v/forgotten'))
})

test('the proxy of the instance is judged before it is spoken to', async () => {
  const asked = host.asked.length
  await refused(house({ proxies: { one: 'http://127.0.0.1:1' } })(fileAt(host.answer(whole))))
  assert.equal(host.asked.length, asked)
})

test('a reader that stops holds the host back, and one that leaves ends it', async () => {
  const open = house()
  const pouring = async () => {
    let answered: ServerResponse | undefined
    let poured: Promise<number> | undefined
    const path = host.answer((response) => {
      answered = response
      poured = pour(response.writeHead(200), 500 * MB)
    })
    const opened = await open(fileAt(path, { fileLength: null }))
    return { reader: opened!.stream.getReader(), answered: answered!, poured: poured! }
  }
  const still = await pouring()
  await still.reader.read()
  // The second reader reads 100 MB. In this time the host could send as much to the first reader, if the service did
  // not stop reading for it.
  const busy = await pouring()
  for (let length = 0; length < 100 * MB; ) length += (await busy.reader.read()).value!.length
  assert.ok(still.answered.writableNeedDrain, 'the host waits')
  await Promise.all([still.reader.cancel(), busy.reader.cancel()])
  const size = await still.poured
  assert.ok(size > PIECE * WINDOW, `${size} bytes`)
  assert.ok(size < 50 * MB, `${size} bytes were taken for a reader of one piece`)
})

test('who leaves before the host has answered is not waited for', async () => {
  const leaving = new AbortController()
  const closed = new Promise<void>((resolve) => {
    const path = host.answer((response) => {
      response.once('close', resolve)
      leaving.abort()
    })
    void refused(house()(fileAt(path), leaving.signal), /The client closed the connection/)
  })
  await closed
})

test('one instance does not take every place, and a place comes back however a download ended', async () => {
  const open = house({ total: 2, perOrigin: 1 })
  const waiting = host.answer(() => {})
  const leaving = new AbortController()
  const first = open(fileAt(waiting), leaving.signal)
  const arrived = host.asked.length
  while (host.asked.length === arrived) await new Promise((resolve) => setImmediate(resolve))
  const path = host.answer(whole)
  const second = open(fileAt(path))
  // A request of another instance must be served, although the request `second` came first.
  assert.ok((await read((await open(fileAt(path), never, 'two'))!.stream)).equals(plain))
  leaving.abort()
  await refused(first, /The client closed the connection/)
  await (await second)!.stream.cancel()
  await isCut(open(fileAt(host.answer((response) => response.writeHead(200).end(blob.subarray(0, 100))))))
  await refused(open(fileAt(host.answer((response) => response.writeHead(500).end()))), /answered 500/)
  assert.ok((await read((await open(fileAt(path)))!.stream)).equals(plain))
})

test('who waits for a place and leaves gives way', async () => {
  const open = house({ total: 1, perOrigin: 1 })
  const holding = await open(fileAt(host.answer(whole)))
  const leaving = new AbortController()
  const waiting = open(fileAt(host.answer(whole)), leaving.signal)
  leaving.abort()
  await assert.rejects(waiting, { code: 'engine_unavailable' })
  await holding!.stream.cancel()
  assert.ok(await open(fileAt(host.answer(whole))).then((opened) => opened!.stream.cancel().then(() => true)))
})

test('readers of a file that is lost share one question to the phone, and later ones need none', async () => {
  let questions = 0
  const found = host.answer(whole)
  let answer = (_path: string) => {}
  const open = house({
    askAgain: () => {
      questions++
      return new Promise((resolve) => {
        answer = resolve
      })
    },
  })
  const lost = fileAt(host.answer((response) => response.writeHead(410).end()))
  const opening = [open(lost), open(lost), open(lost)]
  const asked = () => host.asked.filter((path) => path === lost.path).length
  while (asked() < 3 || questions === 0) await new Promise((resolve) => setImmediate(resolve))
  answer(found)
  for (const opened of await Promise.all(opening)) assert.ok((await read(opened!.stream)).equals(plain))
  assert.equal(questions, 1)
  assert.ok((await read((await open(lost))!.stream)).equals(plain))
  assert.deepEqual([questions, asked()], [1, 3], 'its new place is known')
})

test('an instance that is deleted meanwhile has links to nothing', async () => {
  const askAgain = () => Promise.reject(new Failure('instance_not_found'))
  assert.equal(await house({ askAgain })(fileAt('/v/forgotten')), undefined)
  assert.equal(await house({ proxies: {} })(fileAt(host.answer(whole))), undefined)
})

test('a thread that ends breaks off what it was reading', async () => {
  const own = createDownloads({ network: host.network, egressAllow: [], atOnce: 8, logging: { level: 'fatal' }, log: quiet })
  const opened = await own.open(
    {
      file: { kind: 'document', ...sealed, fileLength: null },
      path: host.answer((r) => void pour(r.writeHead(200))),
      proxyUrl: null,
      instance: 'one',
    },
    never,
  )
  assert.ok('stream' in opened)
  await own.close()
  await assert.rejects(read(opened.stream), { code: 'engine_unavailable' })
  await opened.ended
})
