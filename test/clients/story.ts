/**
 * Uses the service with `openapi-fetch` and the types that `openapi-typescript` generates from the description.
 * `test/e2e/clients.test.ts` compiles and runs it, so the description must fit these calls, and the service must, too.
 */
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/schema.js'

export interface Story {
  baseUrl: string
  adminKey: string
  webhookUrl: string
  verifyBy(instance: string, secret: string): void
  scan(dataUrl: string): Promise<unknown>
  /** The number of a person who accepts messages; `stranger` is a number without an account. */
  friend: string
  stranger: string
}

export interface Told {
  instance: components['schemas']['Instance']
  messageId: string
  failed: components['schemas']['Acknowledgement']
  refused: components['schemas']['Error']['error']['code']
  ignored: string | null
}

function must<T>({ data, error }: { data?: T; error?: components['schemas']['Error'] | undefined }): T {
  if (data === undefined) throw new Error(error?.error.code ?? 'neither data nor error')
  return data
}

export async function tell({ baseUrl, adminKey, webhookUrl, verifyBy, scan, friend, stranger }: Story): Promise<Told> {
  const admin = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${adminKey}` } })
  const scopes = ['instances:operate', 'instances:read', 'instances:write', 'webhooks:read', 'webhooks:write'] as const
  const key = must(await admin.POST('/admin/api-keys', { body: { name: 'generated client', scopes: [...scopes] } }))
  const account = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key.value}` } })

  const created = must(
    await account.POST('/account/instances', {
      body: {
        name: 'generated client',
        webhooks: { single_url: webhookUrl },
        settings: { delay_message_min_ms: 0, delay_message_max_ms: 0 },
      },
    }),
  )
  verifyBy(created.id, created.webhooks.secret)
  const client = createClient<paths>({ baseUrl })
  const path = { instance_id: created.id, token: created.token }

  let qr: string | null = null
  while (qr === null) qr = must(await client.GET('/instances/{instance_id}/token/{token}/qr-code', { params: { path } })).value
  await scan(qr)
  for (;;) {
    const status = must(await client.GET('/instances/{instance_id}/token/{token}/status', { params: { path } }))
    if (status.connected) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }

  const header = { Prefer: 'wait=30' }
  const sent = must(
    await client.POST('/instances/{instance_id}/token/{token}/send-text', {
      params: { path, header },
      body: { phone: friend, message: 'Hello from a generated client' },
    }),
  )
  if (sent.status !== 'sent') throw new Error(`the text is ${sent.status}: ${sent.error_code}`)
  const failed = must(
    await client.POST('/instances/{instance_id}/token/{token}/send-text', {
      params: { path, header },
      body: { phone: stranger, message: 'Hello?' },
    }),
  )

  const { error, response } = await client.POST('/instances/{instance_id}/token/{token}/send-text', {
    params: { path },
    body: { phone: 'nobody', message: 'Hello', ...{ priority: 5 } },
  })
  if (error === undefined) throw new Error('the service accepted an invalid phone number')
  const ignored = response.headers.get('X-Svc-Ignored-Fields')

  const queue = must(await client.GET('/instances/{instance_id}/token/{token}/queue', { params: { path, query: { page: 1 } } }))
  if (queue.total !== 0) throw new Error(`the queue should be empty, but ${queue.total} messages wait`)
  const settings = must(
    await client.PUT('/instances/{instance_id}/token/{token}/settings', { params: { path }, body: { auto_read_message: true } }),
  )
  if (!settings.auto_read_message) throw new Error('the setting did not change')

  const listed = must(await account.GET('/account/instances', { params: { query: { q: created.id } } }))
  const [instance] = listed.data
  if (!instance) throw new Error('the instance is not listed')
  const params = { path: { instance_id: created.id } }
  must(await account.DELETE('/account/instances/{instance_id}', { params }))
  return { instance, messageId: sent.message_id, failed, refused: error.error.code, ignored }
}
