import { z } from 'zod'
import type { ApiKey as Key } from '../../account/account.ts'
import { BRAND } from '../../domain/brand.ts'
import { iso } from '../../domain/clock.ts'
import { pageOf } from '../../domain/page.ts'
import { SCOPES } from '../../domain/workspace.ts'
import { atLeastOne } from '../changes.ts'
import { local } from '../endpoint.ts'
import { Done, displayText, instant, oneOf, paged, paging, plain, uuid } from '../fields.ts'

const scopes = z
  .array(oneOf(SCOPES))
  .min(1)
  .max(5)
  .superRefine((values, context) => {
    if (new Set(values).size < values.length) context.addIssue({ code: 'custom', message: 'must not have the same scope twice' })
  })
  .meta({ uniqueItems: true, description: 'Operations that the key allows.' })

const keyFields = {
  id: z.string().meta({ description: 'UUID of the key. It is not the value that callers send.' }),
  name: z.string().meta({ description: 'Unique in the workspace.' }),
  scopes: z.array(z.enum(SCOPES)).meta({ description: 'Operations that the key allows.' }),
  hint: z.string().meta({ description: 'First characters of the key, to recognise it.' }),
  kind: z
    .enum(['api_key', 'client_token'])
    .meta({ description: 'A `client_token` was imported and only works in the `Client-Token` header.' }),
  created_at: instant.meta({ description: 'Time of creation.' }),
  last_used_at: instant.nullable().meta({ description: 'Time of the last use; updated at most once a minute.' }),
  last_used_ip: z.string().nullable().meta({ description: 'IP address of the last use.' }),
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
  summary: 'Create an API key',
  description: 'Only this answer has `value`, because the service stores only its hash.',
  input: { name: displayText(1, 100).meta({ description: 'Unique in the workspace.' }), scopes },
  reply: z.object({ ...keyFields, value: z.string().meta({ description: 'Value of the key, which callers send.' }) }),
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
  summary: 'List the API keys of the workspace, newest first',
  description: 'Revoked keys are not listed.',
  input: paging({ default: 20, max: 500 }),
  reply: paged(ApiKey),
  async handle({ parts, workspace }, query) {
    await parts.account.readUses()
    return pageOf(parts.account.listApiKeys(workspace), query, render)
  },
  examples: [{ name: 'first page', input: { page: '1' }, reply: { data: [example], page: 1, page_size: 20, total: 1 } }],
})

const importedExample = {
  ...example,
  id: '4c1d9e02-77b5-4f0e-8a36-1f3b6c5d8e90',
  name: 'Client-Token (migrado)',
  scopes: ['instances:operate'],
  hint: '…e8f9',
  kind: 'client_token',
}

/**
 * A client token of another program. It must not begin with the prefix of this service's own keys, so that both can be
 * distinguished.
 */
const clientToken = plain(8, 128)
  .regex(/^[!-~]([ -~]*[!-~])?$/, 'must be printable ASCII without a leading or trailing space')
  .refine((value) => !value.startsWith(`${BRAND}_`), { message: `must not begin with ${BRAND}_` })

export const importClientToken = local('admin.importClientToken', 'POST /admin/api-keys/client-token', {
  access: 'admin',
  summary: 'Import an existing client token',
  description:
    'The token becomes a key with the scope `instances:operate` that only works in the `Client-Token` header. A workspace has at most one: refused with ' +
    '`not_allowed` while one exists. The service stores only its hash.',
  input: { value: clientToken.meta({ description: 'Value that existing integrations send in `Client-Token`.' }) },
  reply: ApiKey,
  status: 201,
  errors: ['not_allowed'],
  handle: async ({ parts, workspace }, { value }) => render(await parts.account.importClientToken(workspace, value)),
  examples: [{ name: 'import', input: { value: 'F7a1b2c3d4e5f60718293a4b5c6d7e8f9' }, reply: importedExample }],
})

export const updateApiKey = local('admin.updateApiKey', 'PUT /admin/api-keys/{key_id}', {
  access: 'admin',
  summary: 'Change the name or the scopes of an API key',
  description:
    'Takes effect immediately; the value does not change. Give at least one field. Refused with `not_allowed` when it would take ' +
    '`instances:operate` from the last key that has it while a key or `Client-Token` is required.',
  input: {
    key_id: uuid.meta({ description: 'The key.' }),
    name: displayText(1, 100).optional().meta({ description: 'Unique in the workspace.' }),
    scopes: scopes.optional().meta({ description: 'An imported client token can only have `instances:operate`.' }),
  },
  check: ({ key_id: _, ...change }, issue) => atLeastOne(change, issue),
  reply: ApiKey,
  errors: ['not_found', 'not_allowed'],
  handle: async ({ parts, workspace }, { key_id, ...change }) =>
    render(await parts.account.updateApiKey(workspace, key_id, change)),
  examples: [
    {
      name: 'other scopes',
      input: { key_id: example.id, scopes: ['instances:operate', 'webhooks:read'] },
      reply: { ...example, scopes: ['instances:operate', 'webhooks:read'] },
    },
  ],
})

export const revokeApiKey = local('admin.revokeApiKey', 'DELETE /admin/api-keys/{key_id}', {
  access: 'admin',
  summary: 'Revoke an API key',
  description:
    'Takes effect immediately. Refused with `not_allowed` for the last key with `instances:operate` while a key or `Client-Token` is required.',
  input: { key_id: uuid.meta({ description: 'The key.' }) },
  reply: Done,
  errors: ['not_found', 'not_allowed'],
  async handle({ parts, workspace }, { key_id }) {
    await parts.account.revokeApiKey(workspace, key_id)
    return { value: true } as const
  },
  examples: [{ name: 'revoke', input: { key_id: example.id }, reply: { value: true } }],
})
