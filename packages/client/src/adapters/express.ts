/**
 * Receiver of webhooks for Express: `app.post('/hook', svcWebhook({ secret, onEvent }))`, before any `express.json()`.
 *
 * A body that another middleware has parsed (other than `express.raw()`) is refused, because the signature is that of
 * the raw bytes.
 */
import { receive, refusedBy, type WebhookOptions } from '../webhook-handler.ts'

interface ExpressRequest {
  /** Method of a readable stream of Node. */
  iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
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
      const answer = refusedBy(headers) ?? (await receive(options, headers, bodyOf(request)))
      response
        .status(answer.status)
        .type('text/plain')
        .send(await answer.text())
    } catch (error) {
      next(error)
    }
  }
}

function bodyOf(request: ExpressRequest): Uint8Array | AsyncIterable<Uint8Array> {
  const { body } = request
  if (body instanceof Uint8Array) return body
  if (body !== undefined && Object.keys(body as object).length > 0)
    throw new TypeError('The body was parsed before the signature could be verified. Mount the webhook before express.json().')
  // The answer to a body that is too large needs the connection, so the rest of the request must not be destroyed.
  return request.iterator({ destroyOnReturn: false })
}
