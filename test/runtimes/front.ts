/**
 * The parts of `src/http` that use only Web standards, as one `fetch` handler that imports nothing from Node. Accounts,
 * the store and the sessions are not included.
 */

import { Failure } from '../../src/domain/failures.ts'
import { endpoints } from '../../src/features/index.ts'
import { readRequest, requestRoutes } from '../../src/features/requests.ts'
import { readMessage } from '../../src/features/tool-message.ts'
import { toolsOf } from '../../src/features/tools.ts'
import { receiveBody, receiveFile, wholeOf } from '../../src/http/body.ts'
import { createBodyBudget } from '../../src/http/body-budget.ts'
import { describe } from '../../src/http/description/openapi.ts'
import { failureResponse } from '../../src/http/errors.ts'
import { CAPACITY, createBuckets } from '../../src/http/rate-limit.ts'

const byName = new Map(requestRoutes.map((route) => [route.name, route]))
const budget = createBodyBudget()

/** Returns a value as JSON. The bytes of media are replaced by their number. */
const shown = (value: unknown) =>
  JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? { bytes: part.byteLength } : part))

async function sizeOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const piece of pieces) size += piece.byteLength
  return size
}

/**
 * Answers `/read/<route>` with 200 and the input that it has read; for a route with JSON, also with the operation; for
 * a route that takes a file, with the number of bytes.
 * Throws the error that the service would report.
 */
async function read(name: string, request: Request): Promise<Response> {
  const route = byName.get(name)
  if (!route) throw new Failure('not_found')
  const query = Object.fromEntries(new URL(request.url).searchParams)
  const memory = budget.lease('front')
  try {
    if (route.endpoint.takesFile) return new Response(shown({ bytes: await sizeOf(receiveFile(request)) }))
    if (!route.takesBody) return new Response(shown(readRequest(route, { path: {}, query }).input))
    const body = await wholeOf(await receiveBody(request, memory))
    const { endpoint, input } = readRequest(route, { path: query, body })
    return new Response(shown({ operation: endpoint.id, input }))
  } finally {
    memory.release()
  }
}

function limits(): Response {
  const time = { now: 0 }
  const buckets = createBuckets({ now: () => time.now })
  let passed = 0
  for (let sent = 0; sent < 2 * CAPACITY; sent++) {
    if (buckets.take('one').allowed) passed++
    time.now += 1
  }
  return Response.json({ passed })
}

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/openapi.json') {
    const { json, etag } = describe(endpoints)
    return new Response(json, { headers: { ETag: etag } })
  }
  if (pathname === '/tools') return Response.json(toolsOf())
  if (pathname === '/message') return Response.json(readMessage(new Uint8Array(await request.arrayBuffer())))
  if (pathname === '/limits') return limits()
  return read(decodeURIComponent(pathname.slice('/read/'.length)), request)
}

export async function front(request: Request): Promise<Response> {
  try {
    return await answer(request)
  } catch (error) {
    if (error instanceof Failure) return failureResponse(error)
    return new Response(String(error), { status: 500 })
  }
}

// biome-ignore lint/style/noDefaultExport: what runtimes of this kind look for.
export default { fetch: front }
