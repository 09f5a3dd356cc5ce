import { checkRefusal, noteSecrets } from './secrets.ts'

/** An answer whose body was read completely, so that its connection can be used again. */
export interface Answer<T = Record<string, unknown>> {
  status: number
  headers: Headers
  body: T
}

export async function ask<T = Record<string, unknown>>(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  noteSecrets(url)
  noteSecrets(text)
  if (response.status >= 400) checkRefusal(`${method} ${response.status}`, JSON.stringify([text, ...response.headers]))
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as T }
}

/**
 * Sends a request, and returns the body of the answer. If the request does not succeed, throws with the answer in the
 * message.
 */
export async function must<T = Record<string, unknown>>(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const answer = await ask<T>(method, url, body, headers)
  if (answer.status >= 300) throw new Error(`${method} ${new URL(url).pathname}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
