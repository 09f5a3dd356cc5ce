/**
 * The secret with which an instance signs its webhooks. It is read from the service when the first webhook arrives, so
 * that n8n stores nothing besides the credential, and read again after it was rotated.
 */
import type { Connection } from './connection.ts'
import { instanceOf } from './registration.ts'

interface Known {
  secret: string
  readAt: number
}

const known = new Map<string, Known>()

/** Requests with a wrong signature make this process ask the service at most once in this time, in ms. */
const SHORTEST_AGE = 10_000
/** The service waits 10 s for the answer to a webhook, and repeats it later: there is no time for further attempts. */
const QUICK = { attempts: 1, timeoutMs: 5_000 }

const keyOf = ({ credentials }: Connection) => `${credentials.baseUrl} ${credentials.instanceId}`

export async function secretOf(svc: Connection): Promise<string> {
  const found = known.get(keyOf(svc))
  if (found !== undefined) return found.secret
  const { webhooks } = await instanceOf(svc, QUICK)
  known.set(keyOf(svc), { secret: webhooks.secret, readAt: Date.now() })
  return webhooks.secret
}

/** Forgets a secret that may be out of date. Returns whether it is worth to verify again with a new one. */
export function forgetSecret(svc: Connection): boolean {
  const found = known.get(keyOf(svc))
  if (found === undefined || Date.now() - found.readAt < SHORTEST_AGE) return false
  return known.delete(keyOf(svc))
}
