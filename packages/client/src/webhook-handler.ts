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
 * workers, and all frameworks on them. It verifies requests, passes events to `onEvent`, and answers. It drops events
 * that `isKnown` knows, and test events unless `withTests` is true.
 */
export function createWebhookHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'POST') return answer(405, 'Send webhooks with POST.')
    const refused = refusedBy(request.headers)
    if (refused) return refused
    return receive(options, request.headers, request.body ? piecesOf(request.body) : new Uint8Array())
  }
}

/** Yields the pieces of a stream. Not every runtime has `for await` over a `ReadableStream`. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // The stream is not cancelled, because that could end the connection before the answer is sent.
    reader.releaseLock()
  }
}

/**
 * The largest body that a receiver reads, in bytes. Events contain only links to media, so larger bodies are not
 * genuine.
 */
const MAX_BODY = 5_000_000

/**
 * Returns the error response if the headers alone show that the request must be refused. Returns undefined otherwise.
 */
export function refusedBy(headers: Pick<Headers, 'get'>): Response | undefined {
  if (!headers.get('X-Svc-Signature')) return answer(401, 'The request has no signature of svc.')
  return Number(headers.get('Content-Length') ?? 0) > MAX_BODY ? tooLarge() : undefined
}

/**
 * Reads a body that arrives in pieces. Resolves with undefined, and reads no further, if the body has more than
 * `MAX_BODY` bytes.
 */
async function wholeOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const held: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    held.push(piece)
    length += piece.length
    if (length > MAX_BODY) return undefined
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of held) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * Verifies and handles a webhook. The body is read only up to `MAX_BODY`: a sender can omit its length, and the signature
 * can be verified only afterwards.
 */
export async function receive(
  options: WebhookOptions,
  headers: Pick<Headers, 'get'>,
  arriving: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Response> {
  const { secret } = options
  const found = typeof secret === 'string' ? secret : await secret(headers.get('X-Svc-Instance-Id') ?? '')
  if (!found) return answer(401, 'No secret is known for this instance.')
  const body = arriving instanceof Uint8Array ? arriving : await wholeOf(arriving)
  if (body === undefined) return tooLarge()
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

const tooLarge = () => answer(413, 'The body is too large.')
const answer = (status: number, text: string) => new Response(text, { status, headers: { 'Content-Type': 'text/plain' } })
