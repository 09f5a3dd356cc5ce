/** Runs the protocol with the official SDK. The SDK takes about 25 MB, so it is loaded only at the first message. */
import { createMcpHandler, isLegacyRequest, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { BRAND, VERSION } from '../../domain/brand.ts'
import type { Tool } from '../../features/tools.ts'
import type { ToolResult } from './tool-result.ts'

export interface Session {
  tools: readonly Tool[]
  problemOf(name: string): string | undefined
  /** Calls a tool for which `problemOf` is undefined. Never rejects, because a failure is also a result. */
  call(name: string, given: Record<string, unknown>): Promise<ToolResult>
}

const INSTRUCTIONS =
  'One WhatsApp account. Sends are queued: the answer says that a message waits, not that it has arrived. Numbers are digits with the country code.'
const REACHING = ' Operations without a tool of their own: list_operations, describe_operation, call_operation.'

const EARLIER = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Error for a tool that does not exist. The code is that of JSON-RPC 2.0 for invalid parameters (5.1). */
class UnknownTool extends Error {
  readonly code = -32602
}

function serverOf(session: Session, versions?: string[]): Server {
  const server = new Server(
    { name: BRAND, version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: `${INSTRUCTIONS}${session.problemOf('call_operation') === undefined ? REACHING : ''}`,
      // Without a validator, the SDK would create a schema compiler for every request. This service has no forms to
      // validate.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not supported' }) },
      ...(versions ? { supportedProtocolVersions: versions } : {}),
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: session.tools as never }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const problem = session.problemOf(params.name)
    if (problem !== undefined) throw new UnknownTool(problem)
    return (await session.call(params.name, params.arguments ?? {})) as never
  })
  return server
}

/**
 * Returns a request for the SDK, without its body, which was already read. Its `Accept` header is a fixed one, because
 * the caller's was already checked.
 */
function headOf(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('Accept', 'application/json, text/event-stream')
  headers.set('Content-Type', 'application/json')
  headers.delete('Content-Length')
  headers.delete('Transfer-Encoding')
  return new Request(request.url, { method: 'POST', headers, signal: request.signal })
}

/**
 * Serves protocol revisions that begin with `initialize`. There are no sessions, so each request gets a server object
 * of its own.
 */
async function serveEarlier(request: Request, message: unknown, session: Session): Promise<Response> {
  const server = serverOf(session, EARLIER)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, supportedProtocolVersions: EARLIER })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

const modern = createMcpHandler(({ authInfo }) => serverOf(authInfo!.extra!.session as Session), { legacy: 'reject' })

export async function serve(request: Request, message: unknown, session: Session): Promise<Response> {
  const head = headOf(request)
  if (await isLegacyRequest(head, message)) return serveEarlier(head, message, session)
  const authInfo = { token: '', clientId: '', scopes: [], extra: { session } }
  return modern.fetch(head, { parsedBody: message, authInfo })
}
