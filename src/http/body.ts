/** Reading a request's body with its limits. */
import { Failure } from '../domain/failures.ts'
import type { Lease } from './body-budget.ts'
import { createPieces } from './pieces.ts'

const MB = 1_048_576
export const MAX_BODY = 64 * MB
/** Bodies above this are not parsed on the HTTP thread: 60 MB of JSON would stall it for 112 ms (design/STACK.md, 1). */
export const LARGE_BODY = 256 * 1_024

/** Memory is asked for as the bytes come, this much at a time: who announces much and sends little holds little. */
const STEP = MB

export interface Body {
  size: number
  pieces: Uint8Array<ArrayBuffer>[]
}

const tooLarge = () => Failure.invalid({ path: '', message: 'must have at most 64 MB' })

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** All bytes of the body, in pieces; refused while reading as soon as there are too many, or no memory for a large one. */
export async function receiveBody(request: Request, memory: Lease): Promise<Body> {
  const told = Number(request.headers.get('Content-Length') ?? 0)
  if (told > MAX_BODY) throw tooLarge()
  if (request.body === null) return { size: 0, pieces: [] }
  if (told > LARGE_BODY) memory.check(told)
  const reader = request.body.getReader()
  const pieces = createPieces()
  let size = 0
  let held = LARGE_BODY
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw cutOff(cause)
    })
    if (done) break
    size += value.byteLength
    try {
      if (size > MAX_BODY) throw tooLarge()
      for (; held < size; held += STEP) memory.take(STEP)
    } catch (refusal) {
      await reader.cancel()
      throw refusal
    }
    pieces.add(value)
  }
  if (size < told) throw cutOff()
  // Checked when there is something to read: an empty body and `{}` are the same, and nobody types what is empty.
  if (size > 0 && !JSON_TYPE.test(request.headers.get('Content-Type') ?? ''))
    throw Failure.invalid({ path: '', message: 'must be sent with Content-Type: application/json' })
  return { size, pieces: pieces.all() }
}

const cutOff = (cause?: unknown) =>
  new Failure('invalid_request', { message: 'The body ended before it was complete.', ...(cause === undefined ? {} : { cause }) })
