/**
 * How the service is asked: the API's own operations, typed by its description, and those that only the dashboard has. All addresses are
 * relative to the page, so that the service may stand under any path.
 */
import createClient, { defaultPathSerializer } from 'openapi-fetch'
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import type { paths } from '../generated/description.d.ts'
import { readProof } from './proof.ts'
import { refusedBy, unreachable } from './refused.ts'
import { signedOut } from './session.ts'

const SESSION = 'session'

/** Without a session there is nothing to prove, and the service still refuses what comes without the header. */
const NOTHING_TO_PROVE = '1'

/** Every request to the service: with the proof of the session, which another tab may have renewed since the last one. */
export async function send(request: Request): Promise<Response> {
  const proof = readProof()
  request.headers.set(DASHBOARD_HEADER, proof ?? NOTHING_TO_PROVE)
  const response = await fetch(request)
  // Of a sign-in: the key was wrong, which ends nothing.
  if (response.status === 401 && request.url !== new URL(SESSION, location.href).href) signedOut(proof)
  return response
}

/** The session stands for the token of an instance: the dashboard's paths have none. */
export const api = createClient<paths>({
  baseUrl: 'api',
  fetch: send,
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
  throw refusedBy(response, error)
}

/** An operation of the dashboard's own; `path` is relative to the page. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  const request = new Request(path, { method, ...(body === undefined ? {} : json) })
  const response = await send(request).catch(() => {
    throw unreachable()
  })
  const answered = await response.json().catch(() => undefined)
  if (response.ok) return answered as T
  throw refusedBy(response, answered)
}

/** Of values that are set. */
export function query(values: Record<string, string | number | undefined>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`
}
