/** Reading a request's body with its limits. */
import { Failure } from '../domain/failures.ts'

const MB = 1_048_576
export const MAX_BODY = 64 * MB
/** Bodies above this are not parsed on the HTTP thread: 60 MB of JSON would stall it for 112 ms (design/STACK.md, 1). */
export const LARGE_BODY = 256 * 1_024

const tooLarge = () => Failure.invalid({ path: '', message: 'must have at most 64 MB' })

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** All bytes of the body; refused while reading as soon as there are too many. */
export async function readBytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('Content-Length') ?? 0) > MAX_BODY) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new Failure('invalid_request', { message: 'The body ended before it was complete.', cause })
    })
    if (done) break
    size += value.byteLength
    if (size > MAX_BODY) {
      await reader.cancel()
      throw tooLarge()
    }
    chunks.push(value)
  }
  // Checked when there is something to read: an empty body and `{}` are the same, and nobody types what is empty.
  if (size > 0 && !JSON_TYPE.test(request.headers.get('Content-Type') ?? ''))
    throw Failure.invalid({ path: '', message: 'must be sent with Content-Type: application/json' })
  return join(chunks, size)
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
