import type { SvcEvent } from './event.ts'
import { SignatureError, verifyWebhook } from './webhook.ts'

export interface WebhookOptions {
  /**
   * The `whsec_…` secret, or a function that returns the secret of the instance with this id (undefined if it does not
   * know the instance).
   */
  secret: string | ((instanceId: string) => string | undefined | Promise<string | undefined>)
  /**
   * Handles an event. The service waits for at most 10 seconds for the answer, so put long work into a queue. If this
   * function throws, the answer is 500, and the service sends the event again later.
   */
  onEvent(event: SvcEvent): unknown
  /** Returns whether the event is already handled. Deliveries can be repeated: remember each `event_id` for a week. */
  isKnown?: ((eventId: string) => boolean | Promise<boolean>) | undefined
  /** Called with the error that `onEvent` has thrown. The answer to the service is then 500. */
  onError?: ((error: unknown, event: SvcEvent) => void) | undefined
  /** Whether `onEvent` also gets test events. False by default. */
  withTests?: boolean | undefined
}

/**
 * Returns a webhook receiver for servers with Web standards (a function from `Request` to `Response`): Deno, Bun,
 * workers, and all frameworks on them. It verifies requests, drops repeated events and test events, and answers.
 */
export function createWebhookHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'POST') return answer(405, 'Send webhooks with POST.')
    const refused = refusedBy(request.headers)
    if (refused) return refused
    return receive(options, request.headers, new Uint8Array(await request.arrayBuffer()))
  }
}

/**
 * The largest body that a receiver reads, in bytes. Events contain only links to media, so larger bodies are not
 * genuine.
 */
export const MAX_BODY = 5_000_000

/**
 * Returns the error response if the headers alone show that the request must be refused. Returns undefined otherwise.
 */
export function refusedBy(headers: Pick<Headers, 'get'>): Response | undefined {
  if (!headers.get('X-Svc-Signature')) return answer(401, 'The request has no signature of svc.')
  return Number(headers.get('Content-Length') ?? 0) > MAX_BODY ? answer(413, 'The body is too large.') : undefined
}

export async function receive(options: WebhookOptions, headers: Pick<Headers, 'get'>, body: Uint8Array): Promise<Response> {
  const { secret } = options
  const found = typeof secret === 'string' ? secret : await secret(headers.get('X-Svc-Instance-Id') ?? '')
  if (!found) return answer(401, 'No secret is known for this instance.')
  let event: SvcEvent
  try {
    event = await verifyWebhook(body, headers.get('X-Svc-Signature'), found)
  } catch (error) {
    if (error instanceof SignatureError) return answer(401, `${error.message}.`)
    throw error
  }
  if (typeof event.event_id !== 'string')
    return answer(400, 'This instance has a dialect: its webhooks have the form of another gateway.')
  if (event.test && !options.withTests) return answer(200, 'This is a test event.')
  if (await options.isKnown?.(event.event_id)) return answer(200, 'This event is known.')
  try {
    await options.onEvent(event)
  } catch (error) {
    options.onError?.(error, event)
    return answer(500, 'The event could not be handled.')
  }
  return answer(200, 'Thank you.')
}

const answer = (status: number, text: string) => new Response(text, { status, headers: { 'Content-Type': 'text/plain' } })
