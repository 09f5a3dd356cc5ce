/** Reading a request's body with its limits. */
import { Failure } from '../domain/failures.ts'
import { createPieces } from './pieces.ts'

const MB = 1_048_576
export const MAX_BODY = 64 * MB
/** Bodies above this are not parsed on the HTTP thread: 60 MB of JSON would stall it for 112 ms (design/STACK.md, 1). */
export const LARGE_BODY = 256 * 1_024

export interface Body {
  size: number
  pieces: Uint8Array<ArrayBuffer>[]
}

const tooLarge = () => Failure.invalid({ path: '', message: 'must have at most 64 MB' })

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** All bytes of the body, in pieces; refused while reading as soon as there are too many. `take` is asked for the memory of a large one. */
export async function receiveBody(request: Request, take: (bytes: number) => void): Promise<Body> {
  const told = Number(request.headers.get('Content-Length') ?? 0)
  if (told > MAX_BODY) throw tooLarge()
  if (request.body === null) return { size: 0, pieces: [] }
  if (told > LARGE_BODY) take(told)
  const reader = request.body.getReader()
  const pieces = createPieces()
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw cutOff(cause)
    })
    if (done) break
    const before = size
    size += value.byteLength
    if (size > MAX_BODY) {
      await reader.cancel()
      throw tooLarge()
    }
    if (told <= LARGE_BODY && before <= LARGE_BODY && size > LARGE_BODY) await takeOrCancel(reader, take)
    pieces.add(value)
  }
  if (size < told) throw cutOff()
  // Checked when there is something to read: an empty body and `{}` are the same, and nobody types what is empty.
  if (size > 0 && !JSON_TYPE.test(request.headers.get('Content-Type') ?? ''))
    throw Failure.invalid({ path: '', message: 'must be sent with Content-Type: application/json' })
  return { size, pieces: pieces.all() }
}

async function takeOrCancel(reader: ReadableStreamDefaultReader<Uint8Array>, take: (bytes: number) => void): Promise<void> {
  try {
    take(MAX_BODY)
  } catch (refusal) {
    await reader.cancel()
    throw refusal
  }
}

const cutOff = (cause?: unknown) =>
  new Failure('invalid_request', { message: 'The body ended before it was complete.', ...(cause === undefined ? {} : { cause }) })
