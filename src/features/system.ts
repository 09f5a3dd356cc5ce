/** System: health, numbers and description (shared/api/mcp-and-system.md). No rate limit, and no credential but for the numbers. */

import { z } from 'zod'
import { API_VERSION, BRAND, VERSION } from '../domain/brand.ts'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { orLate } from '../lib/deadline.ts'
import { local, METRICS_TEXT } from './endpoint.ts'
import { HTML, pageResponse } from './page.ts'
import type { Check, Parts } from './parts.ts'

export const live = local('system.live', 'GET /health/live', {
  access: 'public',
  summary: 'The process answers',
  reply: z.object({ status: z.literal('ok') }),
  handle: async () => ({ status: 'ok' }) as const,
  examples: [{ name: 'alive', reply: { status: 'ok' } }],
})

/** A check that takes longer counts as failed. */
const CHECK_DEADLINE = 1 * SECOND

const Checks = z.object({
  database: z.literal('ok'),
  session_store: z.literal('ok'),
  engine: z.literal('ok'),
  disk: z.literal('ok'),
  media: z.enum(['ok', 'no converter']),
})

async function passes(check: () => Promise<boolean>): Promise<boolean> {
  // A check that rejects is a check that fails: that is its whole message.
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
  summary: 'The service can do its work',
  description:
    'Session states do not matter. `database` fails, too, for ten seconds after a write that the disk refused. `disk` fails when less than `SVC_DISK_RESERVE_MB` is free: sends are refused then, and the message says so. While the service is starting or stopping, or when a check fails, `engine_unavailable` with the checks; the message says what a start waits for. `media` says whether a converter is installed; without one the service is ready, and less can be sent. `warning` is there while the clock of the machine is far ahead, or ids and times are that were given out while it was.',
  reply: z.object({
    status: z.literal('ok'),
    checks: Checks,
    warning: z
      .string()
      .optional()
      .meta({ description: 'Something that the operator should know, and that keeps nothing from working.' }),
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
    const warning = parts.readiness.warning?.()
    return {
      status: 'ok',
      ...(warning === undefined ? {} : { warning }),
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
  summary: 'Numbers for Prometheus',
  description:
    'Text format 0.0.4. With `SVC_METRICS_TOKEN` set that token is required; otherwise only loopback and private addresses are answered, and others get `not_found`. No label holds a phone number, an instance id, a token or a URL.',
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
  summary: 'Which version runs',
  reply: z.object({
    name: z.literal(BRAND),
    version: z.string().meta({ description: 'Of this software.' }),
    api: z.string().meta({ description: 'Of the interface, as the description has it.' }),
  }),
  handle: async () => ({ name: BRAND, version: VERSION, api: API_VERSION }) as const,
  examples: [{ name: 'version', reply: { name: BRAND, version: VERSION, api: API_VERSION } }],
})

export const docs = local('system.docs', 'GET /docs', {
  access: 'public',
  summary: 'This description as a page, to read and to try',
  description: 'All of its files are served by the service itself.',
  reply: z.string(),
  contentType: HTML,
  handle: async ({ parts }) => pageResponse(parts.pages.docs),
})

/** Whether an `Accept-Encoding` takes gzip: named, or meant by `*`, and not with a weight of nothing. */
export const takesGzip = (accepted: string) => /(?:^|,)\s*(?:gzip|\*)\s*(?!;\s*q=0(?:\.0*)?\s*(?:,|$))(?:;|,|$)/i.test(accepted)

export const openapi = local('system.openapi', 'GET /openapi.json', {
  access: 'described',
  summary: 'This description',
  description: 'OpenAPI 3.1.0, made from the running routes. Compressed for whoever takes gzip.',
  errors: ['rate_limited'],
  reply: z.looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string(), version: z.string() }) }),
  async handle({ parts, request }) {
    const { json, etag: plain, gzip } = parts.description()
    const isPacked = takesGzip(request.headers.get('Accept-Encoding') ?? '')
    // Other bytes, another tag (RFC 9110, 8.8.3).
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
