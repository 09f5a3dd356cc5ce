/**
 * Receiver of webhooks for Express: `app.post('/hook', svcWebhook({ secret, onEvent }))`, before any `express.json()`.
 *
 * A body that another middleware has parsed is refused, because the signature is that of the raw bytes.
 */
import { MAX_BODY, receive, refusedBy, type WebhookOptions } from '../webhook-handler.ts'

interface ExpressRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body?: unknown
}
interface ExpressResponse {
  status(code: number): { type(type: string): { send(body: string): unknown } }
}

export function svcWebhook(options: WebhookOptions) {
  return async (request: ExpressRequest, response: ExpressResponse, next: (error: unknown) => void): Promise<void> => {
    try {
      const headers = { get: (name: string) => [request.headers[name.toLowerCase()]].flat()[0] ?? null }
      const answer = refusedBy(headers) ?? (await receive(options, headers, await bodyOf(request)))
      response
        .status(answer.status)
        .type('text/plain')
        .send(await answer.text())
    } catch (error) {
      next(error)
    }
  }
}

async function bodyOf(request: ExpressRequest): Promise<Uint8Array> {
  const { body } = request
  if (body instanceof Uint8Array) return body
  if (body !== undefined && Object.keys(body as object).length > 0)
    throw new TypeError('The body was parsed before the signature could be verified. Mount the webhook before express.json().')
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of request) {
    pieces.push(piece)
    length += piece.length
    if (length > MAX_BODY) throw new RangeError(`The body of the webhook has more than ${MAX_BODY} bytes.`)
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
