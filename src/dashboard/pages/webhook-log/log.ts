import { answer, api } from '../../api/client.ts'
import type { paths } from '../../generated/description.d.ts'

export interface Filter {
  q?: string | undefined
  instance_id: string | undefined
  type: string | undefined
  status: string | undefined
  from: string | undefined
  to: string | undefined
}

export const PAGE_SIZE = 25

type Query = NonNullable<paths['/admin/webhook-log']['get']['parameters']['query']>

/** Leaves out the filters without a value. The values come from lists of the API description, so the cast is safe. */
const set = (filter: Filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Query

export const loadLog = (
  filter: Filter,
  page: number,
  { pageSize = PAGE_SIZE, signal }: { pageSize?: number; signal?: AbortSignal } = {},
) =>
  answer(
    api.GET('/admin/webhook-log', {
      params: { query: { ...set(filter), page, page_size: pageSize } },
      ...(signal && { signal }),
    }),
  )

export type Entry = Awaited<ReturnType<typeof loadLog>>['data'][number]

const MOST_AT_ONCE = 100

export async function resendMany(ids: readonly string[], progress: (done: number) => void) {
  const sum = { queued: 0, notFound: 0 }
  for (let at = 0; at < ids.length; at += MOST_AT_ONCE) {
    const event_ids = ids.slice(at, at + MOST_AT_ONCE)
    const { queued, not_found } = await answer(api.POST('/admin/webhook-log/resend', { body: { event_ids } }))
    sum.queued += queued
    sum.notFound += not_found
    progress(at + event_ids.length)
  }
  return sum
}

export const replay = (filter: Filter & { from: string; to: string }) =>
  answer(api.POST('/admin/webhook-log/replay', { body: set(filter) as { from: string; to: string } }))
