/** Reading a request's body with its limits. */
import { joined } from '../domain/bytes.ts'
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { BodyBatch, ComingBody } from '../domain/large-body.ts'
import { giveBack } from '../lib/give-back.ts'
import type { Lease } from './body-budget.ts'
import { createPieces, type Pieces } from './pieces.ts'

const KB = 1_024
const MB = KB * KB
export const MAX_BODY = 64 * MB
/** Bodies above this are not parsed on the HTTP thread: 60 MB of JSON would stall it for 112 ms. */
export const LARGE_BODY = 256 * KB

/** Memory is reserved as the bytes come, this much at a time: a caller who announces much and sends little reserves little. */
const STEP = 256 * KB
/**
 * What every body may have without: at the rate of requests of one instance those that stop half-way are in memory 700 at a time, before they
 * are too slow.
 */
const UNRESERVED = 16 * KB
const reserved = (bytes: number) => (bytes <= UNRESERVED ? 0 : Math.ceil(bytes / STEP) * STEP)
/** Bytes of a large body that cross to the other thread in one message. */
const BATCH = 256 * KB
/** What a large body holds when all of it has arrived: nearly all of it is base64, which is decoded meanwhile. */
const heldOf = (bytes: number) => (bytes / 4) * 3

/**
 * A body comes at this rate at least (1 Mbit/s, a slow line), in bytes per second, after some time to begin with, in ms: what has come of it is
 * in memory until it is complete.
 */
const SLOWEST = 128 * KB
const HEAD_START = 10 * SECOND
/** Longest time a body may take, in ms. */
export const LONGEST_BODY = HEAD_START + (MAX_BODY / SLOWEST) * SECOND

/** When as many bytes of a body must have come, for one that began at `begun`. */
export const dueAt = (begun: number, bytes: number): number => begun + HEAD_START + (bytes / SLOWEST) * SECOND

/** Pieces of a refused body that are freed together. The garbage collector alone would fall behind when many bodies are refused at once. */
const DROPPED_AT_ONCE = 16

/**
 * Bytes of a refused body that are read for the sake of the answer: those of the largest documents that a send takes by URL, which somebody may
 * try to send inline, and more.
 */
export const MOST_DROPPED = 8 * MAX_BODY

/** A small body is whole; a large one is still arriving. */
export type Body = { bytes: Uint8Array<ArrayBuffer> } | { coming: ComingBody }

const NO_BODY: Body = { bytes: new Uint8Array() }

/** One body, read piece by piece. */
export type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>

/** Where bodies are read from. The stream of a standard `Request` would cost the server two copies of every piece. */
export interface BodySource {
  /** The whole body, where all of it has come already and nobody reads it; whoever asks later is given no bytes. Undefined: it is read. */
  arrived(request: Request): Uint8Array<ArrayBuffer> | undefined
  /** Undefined: there is none, or somebody reads it already. */
  reader(request: Request): BodyReader | undefined
}

/** For requests that did not come over our server. */
export const webBodies: BodySource = {
  arrived: () => undefined,
  reader: ({ body }) => (body === null || body.locked ? undefined : body.getReader()),
}

const tooLarge = (most: number) =>
  Failure.invalid({ path: '', message: `must have at most ${most >= MB ? `${most / MB} MB` : `${most / KB} KB`}` })
const tooSlow = () => new Failure('invalid_request', { message: 'The body arrived too slowly: less than 128 KB per second.' })
const cutOff = (cause?: unknown) =>
  new Failure('invalid_request', { message: 'The body ended before it was complete.', ...(cause === undefined ? {} : { cause }) })

/** Web standards give these none, and to look for one makes the server build the whole request: 8 % of what `GET /status` costs. */
const isWithoutBody = ({ method }: Request) => method === 'GET' || method === 'HEAD'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * The body, refused while reading as soon as there is too much of it, it comes too slowly, or there is no memory for it. What is left of a refused
 * one is read and dropped.
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
    // A small one mostly comes together with its head, and is there when what reads the head has ended.
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

type Incoming = AsyncGenerator<Uint8Array, void>

/** Rejects with the reason when the body is refused. The rest of a body that is not read to its end is discarded. */
async function* piecesOf(
  request: Request,
  reader: BodyReader,
  { declared, most, clock }: { declared: number; most: number; clock: Clock },
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
      checkType(request, size)
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

/** A large body whose beginning has arrived. Memory is held for what is here, between the threads, and in the thread that parses it. */
function comingBody(begun: Pieces, begunSize: number, incoming: Incoming, memory: Lease): ComingBody {
  let pieces = begun
  let here = begunSize
  /** Sizes of the batches that are sent and not parsed yet. */
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
      // This may come after a refusal, so it must not throw. If the thread holds more than was reserved, the next piece reserves the difference.
      memory.lower(reserved(inMemory()))
    },
  }
}

/** The bytes of a whole body, for readers that cannot use it in parts. */
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

/** Checked when there is something to read: an empty body and `{}` are the same, and nobody types what is empty. */
function checkType({ headers }: Request, size: number) {
  if (size > 0 && !JSON_TYPE.test(headers.get('Content-Type') ?? ''))
    throw Failure.invalid({ path: '', message: 'must be sent with Content-Type: application/json' })
}

/**
 * For a request that was answered without reading its body. Many clients read the answer only when they have sent everything: if the
 * connection is closed before, they lose the answer and report a broken pipe in place of the reason.
 */
export function discardBody(request: Request, source: BodySource = webBodies): void {
  if (isWithoutBody(request) || source.arrived(request) !== undefined) return
  const reader = source.reader(request)
  if (reader !== undefined) void throwAway(reader, steadyClock)
}

/**
 * The text of a short body that is read before its sender is known: anybody may send one, and many at a time, so that it is held for no longer than
 * it comes. `tooLong`: of one of more than `most` bytes.
 */
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

/** Reads on and keeps nothing, within a bound, as slowly as any body may come. What comes after that costs the connection. */
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
    // Too slow, or cut: the answer has been made, and the rest is not needed.
  } finally {
    stream.end()
  }
  await reader.cancel().catch(() => {})
}

interface Steady {
  /** Undefined at the end. Rejects when the body is cut, or slower than it may be. */
  read(): Promise<Uint8Array | undefined>
  /** To be called once it is not read any more. */
  end(): void
}

/** A body that is read at the rate it must come at, or not at all. Time in which nobody reads it does not count: it is not the caller's. */
function steady(reader: BodyReader, clock: Clock): Steady {
  let begun = clock.now()
  let size = 0
  /** When the last read ended; undefined: one is under way. */
  let leftAt: number | undefined = begun
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    let isSecondLook = false
    const look = () => {
      const left = leftAt === undefined ? dueAt(begun, size) - clock.now() : SECOND
      if (left <= 0 && isSecondLook) return reject(tooSlow())
      // When this thread was blocked, bytes that arrived meanwhile are read before the second check.
      isSecondLook = left <= 0
      timer = setTimeout(look, Math.max(left, SECOND))
    }
    timer = setTimeout(look, HEAD_START)
  })
  // Nobody may be reading when it comes.
  late.catch(() => {})
  return {
    async read() {
      if (leftAt !== undefined) begun += clock.now() - leftAt
      leftAt = undefined
      const next = reader.read().catch((cause: unknown) => {
        throw cutOff(cause)
      })
      const { done, value } = await Promise.race([next, late])
      leftAt = clock.now()
      if (done) return undefined
      size += value.byteLength
      return value
    },
    end: () => clearTimeout(timer),
  }
}
