import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FaultAction } from '../control/schemas/network.ts'
import { close, listen } from '../wire/listening.ts'
import { issueServerCertificate, openAuthority } from './authority.ts'
import { createBlobs, HASH } from './blobs.ts'

/** Returns the fault that is set for a transfer. `facts` contain `path`, `kind` (image, video, ...) and `hash`. */
export type TakeFault = (on: 'upload' | 'download', facts: Record<string, string>) => FaultAction | undefined

export interface MediaOptions {
  /** Folder of the media. If it is absent, all media are lost when the process ends. */
  dir?: string | undefined
  port?: number | undefined
  faults?: TakeFault | undefined
  /** Returns an unencrypted file by its path, for example a profile picture. */
  plain?: ((path: string) => { type: string; bytes: Uint8Array } | undefined) | undefined
}

export interface MediaHost {
  host: string
  /** Certificate of the authority that a client must trust, as PEM. */
  caPem: string
  /** Stores encrypted media as if a client had uploaded them. */
  put(blob: Uint8Array, kind?: string): Promise<{ url: string; directPath: string }>
  get(directPath: string): Promise<Buffer | undefined>
  clear(): Promise<void>
  stop(): Promise<void>
}

/** Largest upload in bytes. The real network allows documents of 2 GB, but this host reads each upload into memory. */
const MAX_UPLOAD = 512 * 1024 * 1024

/**
 * Starts a media host. Upload: `POST /mms/<kind>/<base64url SHA-256 of the body>`; the path may begin in another way.
 * Download: `GET <direct_path>`, with or without a Range header.
 */
export async function startMediaHost(options: MediaOptions = {}): Promise<MediaHost> {
  const { dir, port, faults = () => undefined, plain = () => undefined } = options
  const authority = await openAuthority(dir)
  const blobs = createBlobs(dir === undefined ? undefined : join(dir, 'media'))
  const server = createServer(await issueServerCertificate(authority), (request, response) => {
    serve(request, response).catch((error: unknown) => {
      // An error of the file system is answered like an error of a broken host.
      fail(response, 500, error instanceof Error ? error.message : String(error))
    })
  })
  await listenAsBefore(server, dir, port)
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', `https://${host}`)
    const parts = pathname.split('/')
    const hash = decodeURIComponent(parts.at(-1) ?? '').replace(/=+$/, '')
    const facts = { path: pathname, kind: parts.at(-2) ?? '', hash }
    if (request.method === 'POST') await upload(request, response, facts)
    else if (request.method === 'GET' || request.method === 'HEAD') await download(request, response, facts)
    else fail(response, 405, `no ${request.method}`)
  }

  async function upload(request: IncomingMessage, response: ServerResponse, facts: Record<'path' | 'kind' | 'hash', string>) {
    const action = faults('upload', facts)
    if (await harmed(action, response)) return
    const body = await bodyOf(request)
    if (!body) return fail(response, 413, `more than ${MAX_UPLOAD} bytes`)
    const hash = hashOf(body)
    if (!HASH.test(facts.hash) || hash !== facts.hash)
      return fail(response, 400, `the body's hash is ${hash}, the path says ${facts.hash}`)
    const { url, directPath } = await put(body, facts.kind)
    const handle = facts.kind.startsWith('newsletter-') ? { handle: handleOf(hash) } : {}
    const answer = Buffer.from(JSON.stringify({ url, direct_path: directPath, ...handle }))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
  }

  async function download(request: IncomingMessage, response: ServerResponse, facts: Record<'path' | 'kind' | 'hash', string>) {
    const action = faults('download', facts)
    if (await harmed(action, response)) return
    const page = plain(facts.path)
    const found = page ? Buffer.from(page.bytes) : await blobs.get(facts.hash)
    if (!found) return fail(response, 404, 'no such media')
    const blob = isAction(action, 'corrupt') ? corrupted(found) : found
    const range = rangeOf(request.headers.range, blob.length)
    if (range === 'unsatisfiable') {
      response.setHeader('content-range', `bytes */${blob.length}`)
      return fail(response, 416, 'no such range')
    }
    const part = range ? blob.subarray(range.start, range.end + 1) : blob
    response.writeHead(range ? 206 : 200, {
      'content-type': page?.type ?? 'application/octet-stream',
      'content-length': part.length,
      'accept-ranges': 'bytes',
      ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${blob.length}` } : {}),
    })
    if (request.method === 'HEAD') response.end()
    else if (action === 'cut') response.write(part.subarray(0, part.length >> 1), () => response.destroy())
    else response.end(part)
  }

  async function put(blob: Uint8Array, kind = 'image'): Promise<{ url: string; directPath: string }> {
    const hash = hashOf(blob)
    await blobs.put(hash, blob)
    // The path has a query, as on the real network, because clients append parameters to it.
    const directPath = `/v/${kind}/${hash}?ccb=11-4&oh=${hash.slice(0, 12)}`
    return { url: `https://${host}${directPath}`, directPath }
  }

  return {
    host,
    caPem: authority.certificate,
    put,
    get: (directPath) => blobs.get(directPath.split('?')[0]!.split('/').at(-1)!),
    clear: () => blobs.clear(),
    stop: () => close(server),
  }
}

const handleOf = (hash: string) => `${Buffer.from(hash).toString('base64url')}:1`

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')

/** Applies a fault to a transfer. Returns true if the request needs no further answer. */
async function harmed(action: FaultAction | undefined, response: ServerResponse): Promise<boolean> {
  if (action === 'drop') {
    response.destroy()
    return true
  }
  if (isAction(action, 'http_status')) {
    fail(response, action.http_status, 'a fault was asked for')
    return true
  }
  if (isAction(action, 'delay_ms')) await delay(action.delay_ms)
  return false
}

type ObjectAction = Extract<FaultAction, object>
type ActionWith<K extends string> = Extract<ObjectAction, Record<K, unknown>>

function isAction<K extends string>(action: FaultAction | undefined, name: K): action is ActionWith<K> {
  return typeof action === 'object' && name in action
}

function corrupted(blob: Buffer): Buffer {
  const copy = Buffer.from(blob)
  copy[0]! ^= 0xff
  return copy
}

/**
 * Returns the requested range of a file. Undefined if the whole file must be sent: there is no range, there are
 * several, or the unit is not bytes.
 */
function rangeOf(header: string | undefined, length: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  const start = from === '' ? Math.max(0, length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1)
  return start > end || start >= length ? 'unsatisfiable' : { start, end }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_UPLOAD) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = Buffer.from(JSON.stringify({ error: { code: status, message } }))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
}

const LOOPBACK = '127.0.0.1'

/**
 * Listens on the given port. If there is a folder and no port, listens on the port of the last run, because URLs in old
 * messages contain it; if that port is not free, on any other.
 */
async function listenAsBefore(server: Server, dir: string | undefined, port: number | undefined): Promise<void> {
  if (port !== undefined || dir === undefined) return listen(server, port ?? 0, LOOPBACK)
  const file = join(dir, 'media-port')
  try {
    await listen(server, Number(await readFile(file, 'utf8')) || 0, LOOPBACK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EADDRINUSE') throw error
    await listen(server, 0, LOOPBACK)
  }
  await writeFile(file, String((server.address() as AddressInfo).port))
}
