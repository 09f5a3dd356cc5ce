/**
 * Baseline process of `media.ts`: encrypts and decrypts files as the network requires, as a stream and with
 * `node:crypto` alone, between the same hosts as the service.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, get as plainGet, type ServerResponse } from 'node:http'
import { Agent, get, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerCalls } from './calls.ts'

interface Laid {
  url: string
  directPath: string
  mediaKey: string
  fileSha256: string
  fileEncSha256: string
  fileLength: number
}
const INFO = 'WhatsApp Document Keys'
const TAG = 10

let host = ''
let agent: Agent
const folder = await mkdtemp(join(tmpdir(), 'svc-bench-media-'))
process.on('exit', () => void rm(folder, { recursive: true, force: true }))

function keysOf(mediaKey: Buffer) {
  const all = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(32), INFO, 112))
  return { iv: all.subarray(0, 16), cipherKey: all.subarray(16, 48), macKey: all.subarray(48, 80) }
}

let offered: Laid | undefined

/**
 * Downloads, decrypts and verifies a file as the service does (MAC, and both hashes from the message), and sends the
 * decrypted file to the client.
 */
async function receive({ url, mediaKey, fileSha256, fileEncSha256, fileLength }: Laid, client: ServerResponse): Promise<void> {
  const { iv, cipherKey, macKey } = keysOf(Buffer.from(mediaKey, 'base64'))
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const [plainHash, sealedHash, mac] = [createHash('sha256'), createHash('sha256'), createHmac('sha256', macKey).update(iv)]
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  let tail = Buffer.alloc(0)
  let size = 0
  const take = async (bytes: Buffer) => {
    size += bytes.length
    plainHash.update(bytes)
    if (!client.write(bytes)) await once(client, 'drain')
  }
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sealedHash.update(chunk)
    const all = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk
    const sealed = all.subarray(0, Math.max(0, all.length - TAG))
    tail = Buffer.from(all.subarray(sealed.length))
    mac.update(sealed)
    await take(decipher.update(sealed))
  }
  await take(decipher.final())
  const areHashesGood = plainHash.digest('base64') === fileSha256 && sealedHash.digest('base64') === fileEncSha256
  const isGood = mac.digest().subarray(0, TAG).equals(tail) && areHashesGood
  if (!isGood || size !== fileLength) throw new Error('the downloaded file differs from the uploaded one')
  client.end()
}

const server = createServer((_, client) => {
  receive(offered!, client).catch((error: Error) => client.destroy(error))
})

const calls = {
  async open(at: { host: string; ca: string }): Promise<string> {
    host = at.host
    agent = new Agent({ ca: at.ca, keepAlive: true })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  },
  async send(source: string): Promise<Laid> {
    const mediaKey = randomBytes(32)
    const { iv, cipherKey, macKey } = keysOf(mediaKey)
    const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
    const [plainHash, sealedHash, mac] = [createHash('sha256'), createHash('sha256'), createHmac('sha256', macKey).update(iv)]
    const file = join(folder, randomBytes(8).toString('hex'))
    const out = createWriteStream(file)
    const put = async (bytes: Buffer) => {
      sealedHash.update(bytes)
      if (!out.write(bytes)) await once(out, 'drain')
    }
    let fileLength = 0
    const [answer] = (await once(plainGet(source), 'response')) as [IncomingMessage]
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      fileLength += chunk.length
      plainHash.update(chunk)
      const sealed = cipher.update(chunk)
      mac.update(sealed)
      await put(sealed)
    }
    const last = cipher.final()
    mac.update(last)
    await put(last)
    await put(mac.digest().subarray(0, TAG))
    out.end()
    await once(out, 'finish')
    const enc = sealedHash.digest()
    const upload = request(`https://${host}/mms/document/${enc.toString('base64url')}`, {
      method: 'POST',
      agent,
      headers: { 'content-length': (await stat(file)).size },
    })
    createReadStream(file).pipe(upload)
    const [response] = (await once(upload, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    await rm(file)
    const { url, direct_path: directPath } = JSON.parse(Buffer.concat(chunks).toString()) as { url: string; direct_path: string }
    return {
      url,
      directPath,
      mediaKey: mediaKey.toString('base64'),
      fileSha256: plainHash.digest('base64'),
      fileEncSha256: enc.toString('base64'),
      fileLength,
    }
  },
  offer(laid: Laid) {
    offered = laid
  },
}
export type PlainMedia = typeof calls
answerCalls(calls)
