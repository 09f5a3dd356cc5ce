/** Receives one webhook: verifies its signature over the raw body, and returns the event that starts the workflow. */
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import type { SvcEvent } from '../../client/src/event.ts'
import { receive, refusedBy } from '../../client/src/webhook-handler.ts'
import { connect } from './connection.ts'
import { filterOf, isWanted } from './event-filter.ts'
import { forgetSecret, secretOf } from './secrets.ts'

interface WebhookRequest {
  headers: Record<string, string | string[] | undefined>
  rawBody?: Uint8Array
  /** Reads the raw body, unless n8n has already read it. */
  readRawBody?: () => Promise<void>
}

export async function receiveWebhook(node: IWebhookFunctions): Promise<IWebhookResponseData> {
  const request = node.getRequestObject() as unknown as WebhookRequest
  const headers = { get: (name: string) => [request.headers[name.toLowerCase()]].flat()[0] ?? null }
  const refused = refusedBy(headers)
  if (refused) return answerWith(node, refused)
  if (request.rawBody === undefined) await request.readRawBody?.()
  const { answer, event } = await verified(node, headers, request.rawBody ?? new Uint8Array())
  if (event === undefined || !isWanted(event, filterOf(node))) return answerWith(node, answer)
  return { workflowData: [[{ json: event as unknown as IDataObject }]] }
}

interface Verified {
  answer: Response
  event?: SvcEvent
}

async function verified(
  node: IWebhookFunctions,
  headers: { get(name: string): string | null },
  body: Uint8Array,
): Promise<Verified> {
  const svc = await connect(node)
  const isOurs = headers.get('X-Svc-Instance-Id') === svc.credentials.instanceId
  try {
    const first = await verifiedWith(isOurs ? await secretOf(svc) : undefined, node, headers, body)
    if (first.answer.status !== 401 || !isOurs || !forgetSecret(svc)) return first
    return await verifiedWith(await secretOf(svc), node, headers, body)
  } catch (error) {
    // The service sends the webhook again later, because the answer is an error.
    node.logger.error(`svc did not give the secret of its webhooks: ${(error as Error).message}`)
    return { answer: new Response('The secret could not be read.', { status: 503 }) }
  }
}

async function verifiedWith(
  secret: string | undefined,
  node: IWebhookFunctions,
  headers: { get(name: string): string | null },
  body: Uint8Array,
): Promise<Verified> {
  const found: SvcEvent[] = []
  const answer = await receive(
    {
      secret: () => secret,
      onEvent: (event) => found.push(event),
      // In manual mode, a person waits in the editor for an event, which may be a test event.
      withTests: node.getMode() === 'manual',
    },
    headers,
    body,
  )
  return { answer, ...(found[0] ? { event: found[0] } : {}) }
}

/** Answers the webhook without starting the workflow. */
async function answerWith(node: IWebhookFunctions, answer: Response): Promise<IWebhookResponseData> {
  node
    .getResponseObject()
    .writeHead(answer.status, { 'Content-Type': 'text/plain' })
    .end(await answer.text())
  return { noWebhookResponse: true }
}
