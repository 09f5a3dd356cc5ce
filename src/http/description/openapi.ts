/** Builds the OpenAPI 3.1.0 description. `@hono/zod-openapi` converts the schemas and assembles the document. */
import { OpenAPIHono } from '@hono/zod-openapi'
import { EVENT_TYPES } from '../../domain/events.ts'
import { EVENTS_TAG, TAGS, tagOf } from '../../features/areas.ts'
import type { Endpoint } from '../../features/endpoint.ts'
import type { Description } from '../../features/parts.ts'
import { webhookOf } from './events.ts'
import { HEADERS, INFO, SECURITY_SCHEMES } from './general.ts'
import { withNullBranches } from './null-branches.ts'
import { routeOf } from './operations.ts'

function tagsOf(endpoints: readonly Endpoint[]) {
  const used = new Set([...endpoints.map(({ id }) => tagOf(id)), EVENTS_TAG])
  return TAGS.filter(({ tag }) => used.has(tag)).map(({ tag, title, description }) => ({
    name: tag,
    description,
    'x-displayName': title,
  }))
}

function document(endpoints: readonly Endpoint[]) {
  // Only the registry of this app is used; the routes of the service are mounted elsewhere.
  const app = new OpenAPIHono()
  const registry = app.openAPIRegistry
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent('headers', name, header)
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) registry.registerComponent('securitySchemes', name, scheme)
  for (const endpoint of endpoints) registry.registerPath(routeOf(endpoint))
  for (const type of EVENT_TYPES) registry.registerWebhook(webhookOf(type))
  const made = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: tagsOf(endpoints),
  })
  return withNullBranches(made)
}

/** Returns a hash that changes when the text changes: FNV-1a with 64 bits, which is not a cryptographic hash. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < text.length; at++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

export function describe(endpoints: readonly Endpoint[]): Description {
  const json = JSON.stringify(document(endpoints))
  let packed: Promise<ArrayBuffer> | undefined
  const pack = () => new Response(new Blob([json]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
  return {
    json,
    etag: `"${fingerprint(json)}"`,
    gzip() {
      packed ??= pack()
      return packed
    },
  }
}
