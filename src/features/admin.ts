/** Administration of the workspace: its API keys (shared/api/account-admin.md). */
import { z } from 'zod'
import type { ApiKey as Key } from '../account/account.ts'
import { iso } from '../domain/clock.ts'
import { SCOPES } from '../domain/workspace.ts'
import { local } from './endpoint.ts'
import { Done, instant, name, oneOf, paged, paging, uuid } from './fields.ts'

const scopes = z
  .array(oneOf(SCOPES))
  .min(1)
  .max(5)
  .superRefine((values, context) => {
    if (new Set(values).size < values.length) context.addIssue({ code: 'custom', message: 'must not have the same scope twice' })
  })
  .meta({ uniqueItems: true })

const keyFields = {
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  hint: z.string().meta({ description: 'Enough to recognise the key by.' }),
  kind: z.enum(['api_key', 'client_token']),
  created_at: instant,
  last_used_at: instant.nullable().meta({ description: 'At most one minute old.' }),
  last_used_ip: z.string().nullable(),
}
export const ApiKey = z.object(keyFields).meta({ id: 'ApiKey' })

const render = (key: Key) => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  hint: key.hint,
  kind: key.kind,
  created_at: iso(key.createdAt),
  last_used_at: key.lastUsedAt === null ? null : iso(key.lastUsedAt),
  last_used_ip: key.lastUsedIp,
})

const example = {
  id: 'b7a1c7f0-3a1e-4f50-9e0f-2a6d1a5b7c11',
  name: 'CRM',
  scopes: ['instances:operate', 'instances:read'],
  hint: 'svc_key_…9af3',
  kind: 'api_key',
  created_at: '2026-01-10T00:00:00.000Z',
  last_used_at: null,
  last_used_ip: null,
}

export const createApiKey = local('admin.createApiKey', 'POST /admin/api-keys', {
  access: 'admin',
  summary: 'Make an API key',
  description: '`value` is shown only here; only its hash is kept.',
  input: { name: name(1, 100).meta({ description: 'Unique in the workspace.' }), scopes },
  reply: z.object({ ...keyFields, value: z.string() }),
  status: 201,
  async handle({ parts, workspace }, wish) {
    const { key, value } = await parts.account.createApiKey(workspace, wish)
    return { ...render(key), value }
  },
  examples: [
    {
      name: 'for a CRM',
      input: { name: 'CRM', scopes: ['instances:operate', 'instances:read'] },
      reply: { ...example, value: 'svc_key_4be0a7c5d2b80369c1f5a7e3b8d2460c4e1a95f7d3b69af3' },
    },
  ],
})

export const listApiKeys = local('admin.listApiKeys', 'GET /admin/api-keys', {
  access: 'admin',
  summary: 'API keys of the workspace, newest first',
  description: 'Revoked keys are not listed.',
  input: paging({ default: 20, max: 500 }),
  reply: paged(ApiKey),
  async handle({ parts, workspace }, { page, page_size }) {
    const keys = parts.account.listApiKeys(workspace)
    return {
      data: keys.slice((page - 1) * page_size, page * page_size).map(render),
      page,
      page_size,
      total: keys.length,
    }
  },
  examples: [{ name: 'first page', input: { page: '1' }, reply: { data: [example], page: 1, page_size: 20, total: 1 } }],
})

export const revokeApiKey = local('admin.revokeApiKey', 'DELETE /admin/api-keys/{key_id}', {
  access: 'admin',
  summary: 'Revoke an API key',
  description:
    'Takes effect at once. Refused with `not_allowed` for the last key with `instances:operate` while a key or `Client-Token` is required.',
  input: { key_id: uuid },
  reply: Done,
  errors: ['not_found', 'not_allowed'],
  async handle({ parts, workspace }, { key_id }) {
    await parts.account.revokeApiKey(workspace, key_id)
    return { value: true } as const
  },
  examples: [{ name: 'revoke', input: { key_id: example.id }, reply: { value: true } }],
})
