/** Reading a request's body with its limits. */
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Lease } from './body-budget.ts'
import { createPieces } from './pieces.ts'

const KB = 1_024
const MB = KB * KB
export const MAX_BODY = 64 * MB
/** Bodies above this are not parsed on the HTTP thread: 60 MB of JSON would stall it for 112 ms (design/STACK.md, 1). */
export const LARGE_BODY = 256 * KB

/** Memory is reserved as the bytes come, this much at a time: a caller who announces much and sends little reserves little. */
const STEP = 256 * KB
/**
 * What every body may have without: at the rate of requests of one instance those that stop half-way are in memory 700 at a time, before they
 * are too slow.
 */
const UNRESERVED = 16 * KB

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

/**
 * Bytes of a refused body that are read for the sake of the answer: those of the largest documents that a send takes by URL, which somebody may
 * try to send inline, and more.
 */
export const MOST_DROPPED = 8 * MAX_BODY

export interface Body {
  size: number
  pieces: Uint8Array<ArrayBuffer>[]
}

/**
 * The whole body of a request, taken by whoever asks first (later ones are given no bytes), where all of it has come already and nobody reads
 * it. Undefined: it is read from the request, as a stream. To make the stream costs as much as everything else that a small request needs.
 */
export type Arrived = (request: Request) => Uint8Array<ArrayBuffer> | undefined

const nothingArrived: Arrived = () => undefined

const tooLarge = (most: number) =>
  Failure.invalid({ path: '', message: `must have at most ${most >= MB ? `${most / MB} MB` : `${most / KB} KB`}` })
const tooSlow = () => new Failure('invalid_request', { message: 'The body came too slowly: less than 128 KB per second.' })
const cutOff = (cause?: unknown) =>
  new Failure('invalid_request', { message: 'The body ended before it was complete.', ...(cause === undefined ? {} : { cause }) })

/** Web standards give these none, and to look for one makes the server build the whole request: 8 % of what `GET /status` costs. */
const isWithoutBody = ({ method }: Request) => method === 'GET' || method === 'HEAD'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * All bytes of the body, in pieces; refused while reading as soon as there are too many, they come too slowly, or there is no memory for them.
 */
export async function receiveBody(
  request: Request,
  memory: Lease,
  arrived: Arrived = nothingArrived,
  clock: Clock = steadyClock,
  most = MAX_BODY,
): Promise<Body> {
  if (isWithoutBody(request)) return { size: 0, pieces: [] }
  const declared = Number(request.headers.get('Content-Length') ?? 0)
  if (declared > most) throw tooLarge(most)
  if (declared <= LARGE_BODY) {
    // A small one mostly comes together with its head, and is there when what reads the head has ended.
    await undefined
    const bytes = arrived(request)
    if (bytes !== undefined) {
      if (bytes.byteLength > most) throw tooLarge(most)
      checkType(request, bytes.byteLength)
      return { size: bytes.byteLength, pieces: [bytes] }
    }
  }
  if (request.body === null) return { size: 0, pieces: [] }
  if (declared > LARGE_BODY) memory.check(declared)
  const reader = request.body.getReader()
  const stream = steady(reader, clock)
  const pieces = createPieces()
  let size = 0
  let held = UNRESERVED
  try {
    for (;;) {
      const piece = await stream.read()
      if (piece === undefined) break
      size += piece.byteLength
      if (size > most) throw tooLarge(most)
      for (; held < size; held += STEP) memory.take(STEP)
      pieces.add(piece)
    }
  } catch (refusal) {
    void throwAway(reader, clock)
    throw refusal
  } finally {
    stream.end()
  }
  if (size < declared) throw cutOff()
  checkType(request, size)
  return { size, pieces: pieces.all() }
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
export function discardBody(request: Request, arrived: Arrived = nothingArrived): void {
  if (isWithoutBody(request) || request.bodyUsed || arrived(request) !== undefined) return
  const { body } = request
  if (body !== null && !body.locked) void throwAway(body.getReader(), steadyClock)
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

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Reads on and keeps nothing, within a bound, as slowly as any body may come. What comes after that costs the connection. */
async function throwAway(reader: Reader, clock: Clock): Promise<void> {
  const stream = steady(reader, clock)
  let left = MOST_DROPPED
  try {
    while (left >= 0) {
      const piece = await stream.read()
      if (piece === undefined) return
      left -= piece.byteLength
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

/** A body that is read at the rate it must come at, or not at all. */
function steady(reader: Reader, clock: Clock): Steady {
  const begun = clock.now()
  let size = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    let isSecondLook = false
    const look = () => {
      const left = dueAt(begun, size) - clock.now()
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
      const next = reader.read().catch((cause: unknown) => {
        throw cutOff(cause)
      })
      const { done, value } = await Promise.race([next, late])
      if (done) return undefined
      size += value.byteLength
      return value
    },
    end: () => clearTimeout(timer),
  }
}
