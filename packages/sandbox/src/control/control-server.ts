import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as v from 'valibot'
import { close, listen } from '../wire/listening.ts'
import { ControlError } from './control-error.ts'
import type { NetworkControl } from './network-control.ts'
import { EventStream, ROUTES, type Route } from './routes.ts'
import { Phone } from './schemas/values.ts'

const STATUS = { invalid_request: 400, not_found: 404, conflict: 409 } as const

/** Largest request body in bytes. A film in base64 fits, but a mistake of the caller cannot fill the memory. */
const MAX_BODY = 200 * 1024 * 1024

/**
 * Milliseconds for which an idle connection is kept. Clients close idle connections earlier; if this side closed first,
 * a request on its way would be lost.
 */
const KEPT_OPEN = 75_000

export interface ControlServer {
  url: string
  stop(): Promise<void>
}

export interface ControlOptions {
  port: number
  host: string
  /** Called with an error that is a defect of the simulator. The response does not describe this error. */
  onDefect(error: unknown): void
}

/**
 * Starts the sandbox's control API. It has no credentials, so `host` must be a loopback address. It refuses requests by
 * which a web page in a browser on this machine could read or change something.
 */
export async function startControlServer(
  control: NetworkControl,
  { port, host, onDefect }: ControlOptions,
): Promise<ControlServer> {
  let streams = 0
  const respond = ({ status, body }: { status: number; body: unknown }, response: ServerResponse) => {
    if (!(body instanceof EventStream)) return reply(response, status, body)
    if (streams >= MAX_STREAMS) throw new ControlError('conflict', `there are ${MAX_STREAMS} readers already`)
    streams += 1
    response.on('close', () => {
      streams -= 1
    })
    streamTo(response, body)
  }
  const server = createServer((request, response) => {
    answer(control, request)
      .then((answered) => respond(answered, response))
      .catch((error: unknown) => {
        if (!(error instanceof ControlError)) onDefect(error)
        const { status, body } = failure(error)
        reply(response, status, body)
      })
  })
  // The value 0 removes the limit. Otherwise, Node would drop headers beyond its limit, and the `Origin` of a page
  // could be among them.
  server.maxHeadersCount = 0
  server.keepAliveTimeout = KEPT_OPEN
  await listen(server, port, host)
  const address = server.address() as AddressInfo
  return {
    url: `http://${host}:${address.port}`,
    stop: () => close(server),
  }
}

async function answer(control: NetworkControl, request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  checkCaller(request)
  const url = new URL(request.url ?? '/', 'http://sandbox')
  const { route, path } = find(request.method ?? 'GET', url.pathname)
  const body = await readBody(request)
  if (body.length > 0 && !JSON_TYPE.test(request.headers['content-type'] ?? ''))
    throw new ControlError('invalid_request', 'a body must be sent with content-type: application/json')
  const given = route.method === 'GET' ? Object.fromEntries(url.searchParams) : jsonOf(body)
  const result = await route.run(control, check(route.schema, given), path)
  return { status: route.status, body: result ?? {} }
}

const JSON_TYPE = /^application\/json\s*(;|$)/i
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * Refuses a request by which a page in a browser could read or change something. In such a request, `Host` is the
 * page's own host name, which resolves to this machine, or `Origin` is the address of the page. Programs send no
 * `Origin`.
 */
function checkCaller({ headers: { host = '', origin }, rawHeaders }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ControlError('invalid_request', 'the Host header must be sent once')
  if (!LOOPBACK.test(host)) throw new ControlError('invalid_request', 'the Host header must be localhost or a loopback address')
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    throw new ControlError('invalid_request', 'the Origin header is that of another site')
}

/** Answer to a person who opens the address of the control API in a browser. */
const NO_PAGE =
  'this address is the control API of the simulated network, for programs; the page for people is "Sandbox" in the dashboard'

function find(method: string, pathname: string): { route: Route; path: Record<string, string> } {
  const segments = pathname.split('/').slice(1).map(decode)
  const here = ROUTES.filter((route) => fits(route, segments))
  const route = here.find((each) => each.method === method)
  if (route) return { route, path: parameters(route, segments) }
  const others = here.map((each) => each.method).join(', ')
  if (pathname === '/') throw new ControlError('not_found', NO_PAGE)
  throw new ControlError('not_found', `no ${method} ${pathname}${others ? `; there is ${others}` : ''}`)
}

function fits(route: Route, segments: string[]): boolean {
  return (
    route.segments.length === segments.length && route.segments.every((part, n) => part.startsWith(':') || part === segments[n])
  )
}

function parameters(route: Route, segments: string[]): Record<string, string> {
  const named = route.segments.flatMap((part, n) => (part.startsWith(':') ? [[part.slice(1), segments[n]!] as const] : []))
  return Object.fromEntries(named.map(([name, value]) => [name, name === 'phone' ? check(Phone, value, 'phone') : value]))
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    throw new ControlError('invalid_request', `the path is not readable: ${error instanceof Error ? error.message : error}`)
  }
}

function check<S extends v.GenericSchema>(schema: S, input: unknown, where = ''): v.InferOutput<S> {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  throw new ControlError('invalid_request', result.issues.map((issue) => sentence(issue, where)).join('; '))
}

/** Describes a validation error in a sentence, for example `devices: Invalid value: Expected <=4 but received 5`. */
function sentence(issue: v.BaseIssue<unknown>, where: string): string {
  const path = v.getDotPath(issue) ?? where
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${path}: unknown field`
  if (issue.type === 'strict_object' && issue.received === 'undefined') return `${path}: is needed`
  return path ? `${path}: ${issue.message}` : issue.message
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw new ControlError('invalid_request', `the body is larger than ${MAX_BODY} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw new ControlError('invalid_request', `the body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** Returns the response to an error. An error other than a `ControlError` counts as a defect of the simulator. */
function failure(error: unknown): { status: number; body: unknown } {
  if (error instanceof ControlError)
    return { status: STATUS[error.code], body: { error: { code: error.code, message: error.message } } }
  return { status: 500, body: { error: { code: 'internal', message: 'the sandbox failed; its log gives the reason' } } }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
  response.end(bytes)
}

/** If more bytes wait for a slow reader of a stream, further events are dropped and counted. */
const MAX_WAITING = 8 * 1024 * 1024
/** Maximum number of readers of streams at the same time. */
const MAX_STREAMS = 32

function streamTo(response: ServerResponse, stream: EventStream): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
  // When the client receives these bytes, the stream is already watching. So the client misses no later event.
  response.write(': watching\n\n')
  let left = 0
  const stop = stream.start((data) => {
    if (response.writableLength > MAX_WAITING) {
      left += 1
      return
    }
    if (left > 0) response.write(`event: left_out\ndata: {"count":${left}}\n\n`)
    left = 0
    response.write(`data: ${JSON.stringify(data)}\n\n`)
  })
  response.on('close', stop)
}
