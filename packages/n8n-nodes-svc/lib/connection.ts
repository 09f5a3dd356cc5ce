/**
 * Sends requests to the service. The client package builds them, repeats them and reads the answers; n8n authenticates
 * and sends them.
 */
import type {
  ICredentialDataDecryptedObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IWebhookFunctions,
} from 'n8n-workflow'
import { INSTANCE_ROUTES, SERVICE_ROUTES } from '../../client/src/generated/operations.ts'
import { createRequests, type Input, type SendOptions } from '../../client/src/request.ts'
import type { Route } from '../../client/src/route.ts'

export const CREDENTIAL = 'svcApi'

export interface SvcCredentials {
  baseUrl: string
  instanceId: string
  instanceToken: string
  apiKey?: string
  clientToken?: string
}

/** Returns the credentials without the spaces and slashes that people often paste with them. */
export function credentialsIn(data: ICredentialDataDecryptedObject): SvcCredentials {
  const text = (name: string) => String(data[name] ?? '').trim()
  return {
    baseUrl: text('baseUrl').replace(/\/+$/, ''),
    instanceId: text('instanceId'),
    instanceToken: text('instanceToken'),
    ...(text('apiKey') === '' ? {} : { apiKey: text('apiKey') }),
    ...(text('clientToken') === '' ? {} : { clientToken: text('clientToken') }),
  }
}

export const prefixOf = ({ instanceId, instanceToken }: SvcCredentials) =>
  `/instances/${encodeURIComponent(instanceId)}/token/${encodeURIComponent(instanceToken)}`

export const routeOf = (operation: string): Route | undefined => INSTANCE_ROUTES[operation] ?? SERVICE_ROUTES[operation]

/** Maximum number of attempts of a call, including the first, unless the caller gives another number. */
const ATTEMPTS = 3

type Caller = IExecuteFunctions | IHookFunctions | IWebhookFunctions

export interface Connection {
  credentials: SvcCredentials
  /** Calls the operation that has this id in the OpenAPI description. */
  call(id: string, input?: Input, options?: SendOptions): Promise<unknown>
}

export async function connect(node: Caller): Promise<Connection> {
  const credentials = credentialsIn(await node.getCredentials(CREDENTIAL))
  const requests = createRequests({ baseUrl: credentials.baseUrl, attempts: ATTEMPTS, fetch: sendBy(node) })
  return {
    credentials,
    call(id, input = {}, options = {}) {
      const route = routeOf(id)
      if (route === undefined) throw new TypeError(`svc has no operation ${id}`)
      return requests.call(route, id in INSTANCE_ROUTES ? prefixOf(credentials) : '', input, options)
    },
  }
}

/** Returns a replacement for `fetch` that sends requests with n8n, which applies its proxies and limits. */
function sendBy(node: Caller): typeof fetch {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const answer = await node.helpers.httpRequestWithAuthentication.call(node, CREDENTIAL, {
      url: String(url),
      method: method as IHttpRequestMethods,
      headers: headers as Record<string, string>,
      ...(body === undefined || body === null ? {} : { body: body as string }),
      ...(signal ? { abortSignal: signal } : {}),
      encoding: 'arraybuffer',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
    })
    const {
      statusCode,
      headers: answered,
      body: bytes,
    } = answer as {
      statusCode: number
      headers: Record<string, string | string[]>
      body: Uint8Array<ArrayBuffer>
    }
    return new Response(bytes.length > 0 ? bytes : null, { status: statusCode, headers: headersIn(answered) })
  }
}

function headersIn(answered: Record<string, string | string[]>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answered)) for (const each of [value].flat()) headers.append(name, each)
  return headers
}
