import { joined } from '../domain/bytes.ts'
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { BodyBatch, ComingBody } from '../domain/large-body.ts'
import { giveBack } from '../lib/give-back.ts'
import type { Lease } from './body-budget.ts'
import { createPieces, type Pieces } from './pieces.ts'
import { type BodyReader, cutOff, HEAD_START, SLOWEST, steady } from './steady-reader.ts'

const KB = 1_024
const MB = KB * KB
export const MAX_BODY = 64 * MB
/** Size in bytes above which a body is not parsed on the HTTP thread: 60 MB of JSON would block it for 112 ms. */
export const LARGE_BODY = 256 * KB

/**
 * Number of bytes by which the reservation grows while a body arrives. A caller that announces a large body and sends
 * only a part of it so reserves only that part.
 */
const STEP = 256 * KB
/** Size in bytes up to which a body needs no reservation. */
const UNRESERVED = 16 * KB
const reserved = (bytes: number) => (bytes <= UNRESERVED ? 0 : Math.ceil(bytes / STEP) * STEP)
const BATCH = 256 * KB
/**
 * Estimates the number of bytes that a large body takes in memory. Nearly all of it is base64, which is decoded while
 * it arrives.
 */
const heldOf = (bytes: number) => (bytes / 4) * 3

export const LONGEST_BODY = HEAD_START + (MAX_BODY / SLOWEST) * SECOND

/**
 * Number of pieces of a refused body that are freed together. The garbage collector is too slow when many bodies are
 * refused.
 */
const DROPPED_AT_ONCE = 16

/**
 * Maximum number of bytes of a refused body that are read. Many clients read the answer only after they have sent
 * everything.
 */
export const MOST_DROPPED = 8 * MAX_BODY

export type Body = { bytes: Uint8Array<ArrayBuffer> } | { coming: ComingBody }

const NO_BODY: Body = { bytes: new Uint8Array() }

/** Gives access to the bodies of requests. The stream of a standard `Request` would cost two copies of every piece. */
export interface BodySource {
  /**
   * Returns the body if all of it has arrived, and empty bytes if an earlier call has returned it. Undefined if the
   * body must be read piece by piece.
   */
  arrived(request: Request): Uint8Array<ArrayBuffer> | undefined
  /** Returns a reader of the body; undefined if there is no body, or if other code reads it or has read it. */
  reader(request: Request): BodyReader | undefined
}

/** Reads bodies of requests that did not arrive through our own server, for example in tests. */
export const webBodies: BodySource = {
  arrived: () => undefined,
  reader: ({ body }) => (body === null || body.locked ? undefined : body.getReader()),
}

const tooLarge = (most: number) =>
  Failure.invalid({ path: '', message: `must have at most ${most >= MB ? `${most / MB} MB` : `${most / KB} KB`}` })

/**
 * True for GET and HEAD, which have no body in Web standards. To ask for the body of such a request would make the
 * server create the whole request object, 8 % of the cost of `GET /status`.
 */
const isWithoutBody = ({ method }: Request) => method === 'GET' || method === 'HEAD'

interface BodyType {
  name: string
  pattern: RegExp
}
const JSON_TYPE: BodyType = { name: 'application/json', pattern: /^application\/json\s*(;|$)/i }
const FILE_TYPE: BodyType = { name: 'application/octet-stream', pattern: /^application\/octet-stream\s*(;|$)/i }

/**
 * Receives the body of a request. Rejects if the body is too large, too slow or of another content type, or if no
 * memory can be reserved.
 */
export async function receiveBody(
  request: Request,
  memory: Lease,
  source: BodySource = webBodies,
  clock: Clock = steadyClock,
  most = MAX_BODY,
): Promise<Body> {
  if (isWithoutBody(request)) return NO_BODY
  const declared = Number(request.headers.get('Content-Length') ?? 0)
  if (declared > most) throw tooLarge(most)
  if (declared <= LARGE_BODY) {
    // A small body usually arrives with the head of the request, and is available when this function continues.
    await undefined
    const bytes = source.arrived(request)
    if (bytes !== undefined) {
      if (bytes.byteLength > most) throw tooLarge(most)
      checkType(request, bytes.byteLength)
      return { bytes }
    }
  }
  if (declared > LARGE_BODY) memory.check(heldOf(declared))
  const reader = source.reader(request)
  if (reader === undefined) return NO_BODY
  const incoming = piecesOf(request, reader, { declared, most, clock })
  const pieces = createPieces()
  let size = 0
  while (size <= LARGE_BODY) {
    const { done, value } = await incoming.next()
    if (done) return { bytes: joined(pieces.all()) as Uint8Array<ArrayBuffer> }
    size += value.byteLength
    pieces.add(value)
    await reserve(memory, size, incoming)
  }
  return { coming: comingBody(pieces, size, incoming, memory) }
}

/**
 * Receives the body of an operation that takes a file. Rejects if the body is too large, too slow or of another content
 * type.
 */
export async function* receiveFile(
  request: Request,
  source: BodySource = webBodies,
  most = MAX_BODY,
  clock: Clock = steadyClock,
): AsyncGenerator<Uint8Array, void> {
  const declared = Number(request.headers.get('Content-Length') ?? 0)
  if (declared > most) throw tooLarge(most)
  const reader = source.reader(request)
  if (reader !== undefined) yield* piecesOf(request, reader, { declared, most, clock, type: FILE_TYPE })
}

type Incoming = AsyncGenerator<Uint8Array, void>

/** Yields the pieces of a body. Rejects with the reason if the body is refused. */
async function* piecesOf(
  request: Request,
  reader: BodyReader,
  { declared, most, clock, type = JSON_TYPE }: { declared: number; most: number; clock: Clock; type?: BodyType },
): Incoming {
  const stream = steady(reader, clock)
  let size = 0
  let isWhole = false
  try {
    for (;;) {
      const piece = await stream.read()
      if (piece === undefined) break
      size += piece.byteLength
      if (size > most) throw tooLarge(most)
      checkType(request, size, type)
      yield piece
    }
    isWhole = true
    if (size < declared) throw cutOff()
  } finally {
    stream.end()
    if (!isWhole) void throwAway(reader, clock)
  }
}

async function reserve(memory: Lease, bytes: number, incoming: Incoming): Promise<void> {
  try {
    memory.hold(reserved(bytes))
  } catch (refusal) {
    await incoming.return()
    throw refusal
  }
}

/**
 * Continues to receive a large body whose first bytes have arrived. Memory is reserved for the bytes that are in this
 * thread, in the parsing thread, and on the way between them.
 */
function comingBody(begun: Pieces, begunSize: number, incoming: Incoming, memory: Lease): ComingBody {
  let pieces = begun
  let here = begunSize
  const away: number[] = []
  let there = 0
  let isEnded = false
  const inMemory = () => here + there + away.reduce((sum, size) => sum + size, 0)

  function take(): BodyBatch {
    const batch = pieces.all()
    away.push(here)
    pieces = createPieces()
    here = 0
    return batch
  }

  const batches: AsyncIterableIterator<BodyBatch> = {
    async next() {
      while (here < BATCH && !isEnded) {
        const { done, value } = await incoming.next()
        if (done) isEnded = true
        else {
          here += value.byteLength
          pieces.add(value)
          await reserve(memory, inMemory(), incoming)
        }
      }
      return here > 0 ? { value: take() } : { done: true, value: undefined }
    },
    async return() {
      isEnded = true
      here = 0
      await incoming.return()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => batches,
  }
  return {
    batches,
    held(bytes) {
      there = bytes
      away.shift()
      // This may run after the body was refused, so it must not throw. The next piece reserves what is missing.
      memory.lower(reserved(inMemory()))
    },
  }
}

export async function wholeOf(body: Body): Promise<Uint8Array<ArrayBuffer>> {
  if ('bytes' in body) return body.bytes
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const batch of body.coming.batches) {
    pieces.push(...batch)
    size += batch.reduce((sum, { byteLength }) => sum + byteLength, 0)
    body.coming.held(size)
  }
  return joined(pieces) as Uint8Array<ArrayBuffer>
}

/** Throws if the content type is wrong. An empty body needs none. */
function checkType({ headers }: Request, size: number, { name, pattern } = JSON_TYPE) {
  if (size > 0 && !pattern.test(headers.get('Content-Type') ?? ''))
    throw Failure.invalid({ path: '', message: `must be sent with Content-Type: ${name}` })
}

/**
 * Discards the body of a request that was answered before its body was read. Many clients read the answer only after
 * they have sent everything.
 */
export function discardBody(request: Request, source: BodySource = webBodies): void {
  if (isWithoutBody(request) || source.arrived(request) !== undefined) return
  const reader = source.reader(request)
  if (reader !== undefined) void throwAway(reader, steadyClock)
}

/** Reads a short text of a caller that is not authenticated yet. `tooLong` is the error for more than `most` bytes. */
export async function receiveText(
  request: Request,
  { most, tooLong, clock = steadyClock }: { most: number; tooLong(): Error; clock?: Clock | undefined },
): Promise<string> {
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  const reader = request.body.getReader()
  const stream = steady(reader, clock)
  let text = ''
  let size = 0
  try {
    for (;;) {
      const piece = await stream.read()
      if (piece === undefined) return text + decoder.decode()
      size += piece.byteLength
      if (size > most) throw tooLong()
      text += decoder.decode(piece, { stream: true })
    }
  } catch (refusal) {
    void throwAway(reader, clock)
    throw refusal
  } finally {
    stream.end()
  }
}

/**
 * Reads and drops the rest of a body, up to a limit and at the minimum rate. If the body is longer or slower, the
 * connection is ended.
 */
async function throwAway(reader: BodyReader, clock: Clock): Promise<void> {
  const stream = steady(reader, clock)
  let left = MOST_DROPPED
  let dropped: Uint8Array[] = []
  try {
    while (left >= 0) {
      const piece = await stream.read()
      if (piece === undefined) return
      left -= piece.byteLength
      dropped.push(piece)
      if (dropped.length < DROPPED_AT_ONCE) continue
      giveBack(dropped)
      dropped = []
    }
  } catch {
    // The body is too slow or incomplete. Its rest is not needed, because the request is already refused.
  } finally {
    stream.end()
  }
  await reader.cancel().catch(() => {})
}
