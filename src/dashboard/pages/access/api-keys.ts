import { answer, api } from '../../api/client.ts'
import { fieldsOf } from '../../parts/schema-form.tsx'

export const PAGE_SIZE = 20

export const loadKeys = (page: number) =>
  answer(api.GET('/admin/api-keys', { params: { query: { page, page_size: PAGE_SIZE } } }))

export type ApiKey = Awaited<ReturnType<typeof loadKeys>>['data'][number]
export type Scope = ApiKey['scopes'][number]

const { items } = fieldsOf('admin.createApiKey')['scopes'] as { items: { enum: readonly Scope[] } }
export const SCOPES = items.enum
