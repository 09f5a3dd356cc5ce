/**
 * Reads the secret with which an instance signs its webhooks. It is read from the service when the first webhook
 * arrives, so n8n does not have to store it. It is read again after it was rotated.
 */
import type { Connection } from './connection.ts'
import { instanceOf } from './registration.ts'

interface Known {
  secret: string
  readAt: number
}

const known = new Map<string, Known>()

/**
 * Shortest time in ms between two reads of the secret, so that many requests with wrong signatures do not cause as many
 * requests to the service.
 */
const SHORTEST_AGE = 10_000
/**
 * The service waits 10 s for the answer to a webhook, and sends the webhook again later. So there is no time for more
 * than one attempt to read the secret.
 */
const QUICK = { attempts: 1, timeoutMs: 5_000 }

const keyOf = ({ credentials }: Connection) => `${credentials.baseUrl} ${credentials.instanceId}`

export async function secretOf(svc: Connection): Promise<string> {
  const found = known.get(keyOf(svc))
  if (found !== undefined) return found.secret
  const { webhooks } = await instanceOf(svc, QUICK)
  known.set(keyOf(svc), { secret: webhooks.secret, readAt: Date.now() })
  return webhooks.secret
}

/** Removes a secret that may be outdated. Returns true if the signature should be verified again with a new one. */
export function forgetSecret(svc: Connection): boolean {
  const found = known.get(keyOf(svc))
  if (found === undefined || Date.now() - found.readAt < SHORTEST_AGE) return false
  return known.delete(keyOf(svc))
}
