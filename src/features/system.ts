/**
 * Operations of the service itself, such as health, metrics and description. Only the metrics may need a credential.
 */

import { z } from 'zod'
import { API_VERSION, BRAND, VERSION } from '../domain/brand.ts'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { METRICS_TEXT } from '../domain/metrics-text.ts'
import { orLate } from '../lib/deadline.ts'
import { local } from './endpoint.ts'
import { HTML, pageResponse } from './page.ts'
import type { Check, Parts } from './parts.ts'

export const live = local('system.live', 'GET /health/live', {
  access: 'public',
  summary: 'Check that the process answers',
  reply: z.object({ status: z.literal('ok') }),
  handle: async () => ({ status: 'ok' }) as const,
  examples: [{ name: 'alive', reply: { status: 'ok' } }],
})

const CHECK_DEADLINE = 1 * SECOND

const Checks = z.object({
  database: z.literal('ok'),
  session_store: z.literal('ok'),
  engine: z.literal('ok'),
  disk: z.literal('ok'),
  media: z.enum(['ok', 'no converter']),
})

async function passes(check: () => Promise<boolean>): Promise<boolean> {
  const asked = check().catch(() => false)
  return orLate(asked, CHECK_DEADLINE, () => false)
}

async function failing({ readiness }: Parts): Promise<Check[]> {
  const names = Object.keys(readiness.checks) as Check[]
  const results = await Promise.all(names.map((name) => passes(readiness.checks[name])))
  return names.filter((_, index) => !results[index])
}

export const ready = local('system.ready', 'GET /health/ready', {
  access: 'public',
  summary: 'Check that the service is ready',
  description:
    'Does not depend on the state of sessions. `database` also fails for ten seconds after the disk refused a write. `disk` fails while less than `SVC_DISK_RESERVE_MB` is free; sends are then refused, and the message explains it. While the service is starting or stopping, or when a check fails, the answer is `engine_unavailable` with the checks, and the message says what a start is waiting for. `media` reports whether a converter is installed; without one the service is ready, but some media cannot be sent. `warning` is present while the clock of the machine is far ahead, or while ids and times that were issued during that are still ahead. It is also present while a bucket of `SVC_BLOBS_URL` or `SVC_MEDIA_URL` cannot be used.',
  reply: z.object({
    status: z.literal('ok'),
    checks: Checks,
    warning: z
      .string()
      .optional()
      .meta({ description: 'Information for the operator about a problem that does not stop the service.' }),
    reason: z
      .literal('standby')
      .optional()
      .meta({ description: 'Only from a standby that passes requests on; the checks are those of the active service.' }),
    active: z.string().optional().meta({ description: 'Identifies the active service of a standby.' }),
  }),
  errors: ['engine_unavailable'],
  async handle({ parts }) {
    const failed = await failing(parts)
    if (failed.length > 0 || parts.readiness.isStopping()) {
      const checks = Object.fromEntries(
        Object.keys(parts.readiness.checks).map((name) => [name, failed.includes(name as Check) ? 'failed' : 'ok']),
      )
      const { media } = parts.readiness
      const why = failed.flatMap((check) => parts.readiness.problems?.[check]?.() ?? [])
      throw new Failure('engine_unavailable', {
        message: why.length > 0 ? why.join(' ') : 'The service is not ready.',
        details: { checks: { ...checks, media } },
      })
    }
    const warnings = [parts.readiness.warning?.() ?? [], parts.readiness.buckets?.() ?? []].flat()
    return {
      status: 'ok',
      ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
      checks: { database: 'ok', session_store: 'ok', engine: 'ok', disk: 'ok', media: parts.readiness.media },
    } as const
  },
  examples: [
    {
      name: 'ready',
      reply: { status: 'ok', checks: { database: 'ok', session_store: 'ok', engine: 'ok', disk: 'ok', media: 'ok' } },
    },
  ],
})

export const metrics = local('system.metrics', 'GET /metrics', {
  access: 'metrics',
  summary: 'Read the metrics for Prometheus',
  description:
    'Text format 0.0.4. If `SVC_METRICS_TOKEN` is set, that token is required. Otherwise only callers with loopback and private addresses get the metrics, and others get `not_found`. No label contains a phone number, an instance id, a token or a URL.',
  reply: z.string(),
  contentType: METRICS_TEXT,
  errors: ['unauthorized', 'not_found', 'rate_limited'],
  handle: ({ parts }) => parts.metrics(),
  examples: [
    {
      name: 'one of them',
      reply: '# HELP svc_queue_waiting Messages that wait in the queues.\n# TYPE svc_queue_waiting gauge\nsvc_queue_waiting 0\n',
    },
  ],
})

export const version = local('system.version', 'GET /version', {
  access: 'public',
  summary: 'Read the version of the running service',
  reply: z.object({
    name: z.literal(BRAND),
    version: z.string().meta({ description: 'Version of the software.' }),
    api: z.string().meta({ description: 'Version of the API, as in its OpenAPI description.' }),
  }),
  handle: async () => ({ name: BRAND, version: VERSION, api: API_VERSION }) as const,
  examples: [{ name: 'version', reply: { name: BRAND, version: VERSION, api: API_VERSION } }],
})

export const docs = local('system.docs', 'GET /docs', {
  access: 'public',
  summary: 'Open the API reference as a page',
  description: 'The page shows this description and can send requests. The service itself serves all of its files.',
  reply: z.string(),
  contentType: HTML,
  handle: async ({ parts }) => pageResponse(parts.pages.docs),
})

export const takesGzip = (accepted: string) => /(?:^|,)\s*(?:gzip|\*)\s*(?!;\s*q=0(?:\.0*)?\s*(?:,|$))(?:;|,|$)/i.test(accepted)

export const openapi = local('system.openapi', 'GET /openapi.json', {
  access: 'described',
  summary: 'Read the OpenAPI description of this API',
  description:
    'The description is OpenAPI 3.1.0, generated from the routes of the running service. It is compressed if the client accepts gzip.',
  errors: ['rate_limited'],
  reply: z.looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string(), version: z.string() }) }),
  async handle({ parts, request }) {
    const { json, etag: plain, gzip } = parts.description()
    const isPacked = takesGzip(request.headers.get('Accept-Encoding') ?? '')
    // The compressed body needs another ETag than the plain one (RFC 9110, 8.8.3).
    const etag = isPacked ? plain.replace(/"$/, '-gzip"') : plain
    const headers = { ETag: etag, 'Cache-Control': 'max-age=300', Vary: 'Accept-Encoding' }
    const known = request.headers.get('If-None-Match')?.split(',') ?? []
    if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return new Response(null, { status: 304, headers })
    const typed = { ...headers, 'Content-Type': 'application/json' }
    return isPacked
      ? new Response(await gzip(), { headers: { ...typed, 'Content-Encoding': 'gzip' } })
      : new Response(json, { headers: typed })
  },
})
