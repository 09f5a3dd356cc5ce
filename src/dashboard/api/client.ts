/**
 * Calls the operations of the API and of the dashboard. All URLs are relative to the page, so that the service may be
 * under any path.
 */
import createClient, { defaultPathSerializer } from 'openapi-fetch'
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import type { paths } from '../generated/description.d.ts'
import { readProof } from './proof.ts'
import { refusedBy, unreachable } from './refused.ts'
import { refusals, signedOut } from './session.ts'

const SESSION = 'session'

/**
 * Value of the header while nobody is signed in. There is no proof of a session then, but the service refuses requests
 * without the header.
 */
const NOTHING_TO_PROVE = '1'

/**
 * Sends a request with the proof, the half of the session's credential that scripts can read. It is read for each
 * request, because another browser tab may have renewed it.
 */
export async function send(request: Request): Promise<Response> {
  const proof = readProof()
  request.headers.set(DASHBOARD_HEADER, proof ?? NOTHING_TO_PROVE)
  const response = await fetch(request)
  // A refused sign-in, for example with a wrong key, does not end a session.
  if (request.url === new URL(SESSION, location.href).href) return response
  if (response.status === 401) signedOut(proof)
  if (response.status === 403) refusals.value++
  return response
}

/** Client of the API. The session replaces the token of an instance, so the paths of the dashboard have no token. */
export const api = createClient<paths>({
  baseUrl: 'api',
  fetch: send,
  pathSerializer: (path, values) => defaultPathSerializer(path.replace('/token/{token}', ''), values),
})

export const of = (instanceId: string) => ({ instance_id: instanceId, token: '' })

interface Answered<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Returns the data of an answer. Rejects with `Refused` if the service refused the request or cannot be reached. */
export async function answer<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await asked.catch(() => {
    throw unreachable()
  })
  if (response.ok) return data as T
  throw refusedBy(response, error)
}

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

export function query(values: Record<string, string | number | undefined>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`
}
