import { z } from 'zod'
import { iso } from '../../domain/clock.ts'
import { pageOf } from '../../domain/page.ts'
import type { OauthApp as App } from '../../oauth/oauth.ts'
import { local } from '../endpoint.ts'
import { Done, instant, paged, paging, uuid } from '../fields.ts'

const OauthApp = z
  .object({
    id: z.string().meta({ description: 'UUID of the app. An app is one client that may use one instance.' }),
    client_name: z.string().meta({ description: 'Name that the client gives itself.' }),
    client_id: z
      .string()
      .meta({ description: 'Client id: the registered one, or the URL of the metadata document of the client.' }),
    instance_id: z.string().meta({ description: 'Instance that the app may use.' }),
    created_at: instant.meta({ description: 'Time at which access was granted.' }),
    last_used_at: instant.nullable().meta({ description: 'Time of the last use; updated at most once a minute.' }),
  })
  .meta({ id: 'OauthApp' })

const render = (app: App) => ({
  id: app.id,
  client_name: app.clientName,
  client_id: app.clientId,
  instance_id: app.instance,
  created_at: iso(app.createdAt),
  last_used_at: app.lastUsedAt === null ? null : iso(app.lastUsedAt),
})

const example = {
  id: '7d2f4b9a-0c1e-4c55-9a3b-2e6d8f1a4b70',
  client_name: 'Assistant',
  client_id: '3b0c7a1e-5d42-4f6a-8a9b-0c1d2e3f4a5b',
  instance_id: '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90',
  created_at: '2026-01-10T00:00:00.000Z',
  last_used_at: null,
}

export const listOauthApps = local('admin.listOauthApps', 'GET /admin/oauth-apps', {
  access: 'admin',
  summary: 'List the apps with access to `/mcp`, newest first',
  description: 'Revoked and expired apps are not listed.',
  input: paging({ default: 20, max: 500 }),
  reply: paged(OauthApp),
  async handle({ parts, workspace }, query) {
    await parts.oauth.readUses()
    return pageOf(parts.oauth.list(workspace), query, render)
  },
  examples: [{ name: 'first page', input: { page: '1' }, reply: { data: [example], page: 1, page_size: 20, total: 1 } }],
})

export const revokeOauthApp = local('admin.revokeOauthApp', 'DELETE /admin/oauth-apps/{app_id}', {
  access: 'admin',
  summary: 'Revoke an app',
  description: 'The tokens of the app stop working immediately.',
  input: { app_id: uuid.meta({ description: 'The app.' }) },
  reply: Done,
  errors: ['not_found'],
  async handle({ parts, workspace }, { app_id }) {
    await parts.oauth.revoke(workspace, app_id)
    return { value: true } as const
  },
  examples: [{ name: 'revoke', input: { app_id: example.id }, reply: { value: true } }],
})
