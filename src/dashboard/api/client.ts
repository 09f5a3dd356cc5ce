/**
 * How the service is asked: the API's own operations, typed by its description, and those that only the dashboard has. All addresses are
 * relative to the page, so that the service may stand under any path.
 */
import createClient, { defaultPathSerializer } from 'openapi-fetch'
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import type { paths } from '../generated/description.d.ts'
import { refusedBy, unreachable } from './refused.ts'
import { signedOut } from './session.ts'

/** Another page cannot send it: the service refuses what comes without. */
const OURS = { [DASHBOARD_HEADER]: '1' }

/** The session stands for the token of an instance: the dashboard's paths have none. */
export const api = createClient<paths>({
  baseUrl: 'api',
  headers: OURS,
  pathSerializer: (path, values) => defaultPathSerializer(path.replace('/token/{token}', ''), values),
})

/** Path parameters of an instance's operation. */
export const of = (instanceId: string) => ({ instance_id: instanceId, token: '' })

interface Answered<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The answer, or a `Refused`. */
export async function answer<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await asked.catch(() => {
    throw unreachable()
  })
  if (response.ok) return data as T
  if (response.status === 401) signedOut()
  throw refusedBy(response, error)
}

/** An operation of the dashboard's own; `path` is relative to the page. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = body === undefined ? OURS : { ...OURS, 'Content-Type': 'application/json' }
  const request = fetch(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const response = await request.catch(() => {
    throw unreachable()
  })
  const answered = await response.json().catch(() => undefined)
  if (response.ok) return answered as T
  if (response.status === 401 && path !== 'session') signedOut()
  throw refusedBy(response, answered)
}

/** Of values that are set. */
export function query(values: Record<string, string | number | undefined>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`
}
