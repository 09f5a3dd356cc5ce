/** Reading a request's body with its limits. */
import { Failure } from '../domain/failures.ts'

const MB = 1_048_576
export const MAX_BODY = 64 * MB
/** Bodies above this are not parsed on the HTTP thread: 60 MB of JSON would stall it for 112 ms (design/STACK.md, 1). */
export const LARGE_BODY = 256 * 1_024

const tooLarge = () => Failure.invalid({ path: '', message: 'must have at most 64 MB' })

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** One of unknown length comes in pieces that are joined in the end, so it is in memory twice. */
const UNTOLD = 2 * MAX_BODY

/** All bytes of the body; refused while reading as soon as there are too many. `take` is asked for the memory of a large one. */
export async function readBytes(request: Request, take: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const told = Number(request.headers.get('Content-Length') ?? 0)
  if (told > MAX_BODY) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  if (told > LARGE_BODY) take(told)
  const reader = request.body.getReader()
  // A large body goes to its place piece by piece: joined at its end it would stall everybody, and be in memory twice.
  const place = told > LARGE_BODY ? new Uint8Array(told) : undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw cutOff(cause)
    })
    if (done) break
    const at = size
    size += value.byteLength
    if (size > MAX_BODY || (place && size > told)) {
      await reader.cancel()
      throw tooLarge()
    }
    if (!place && at <= LARGE_BODY && size > LARGE_BODY) await takeOrCancel(reader, take)
    if (place) place.set(value, at)
    else chunks.push(value)
  }
  if (place && size < told) throw cutOff()
  // Checked when there is something to read: an empty body and `{}` are the same, and nobody types what is empty.
  if (size > 0 && !JSON_TYPE.test(request.headers.get('Content-Type') ?? ''))
    throw Failure.invalid({ path: '', message: 'must be sent with Content-Type: application/json' })
  return place ?? join(chunks, size)
}

async function takeOrCancel(reader: ReadableStreamDefaultReader<Uint8Array>, take: (bytes: number) => void): Promise<void> {
  try {
    take(UNTOLD)
  } catch (refusal) {
    await reader.cancel()
    throw refusal
  }
}

const cutOff = (cause?: unknown) =>
  new Failure('invalid_request', { message: 'The body ended before it was complete.', ...(cause === undefined ? {} : { cause }) })

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
