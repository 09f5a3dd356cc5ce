/**
 * Reads the secret with which an instance signs its webhooks. The secret is read from the service when a webhook
 * arrives, so n8n does not have to store it. It is kept for a minute, or for five minutes if the service does not
 * answer. So for this time after a rotation, requests that are signed with the old secret may still be accepted.
 */
import type { Connection } from './connection.ts'
import { instanceOf } from './registration.ts'

interface Known {
  secret: string
  readAt: number
}

const known = new Map<string, Known>()
const reads = new Map<string, Promise<string>>()

/** Age in ms at which a secret is read again. */
const FRESH = 60_000
/** Age in ms up to which a secret is used if the service does not answer. */
const USABLE = 300_000
/**
 * Shortest time in ms between two reads of the secret, so that many requests with wrong signatures do not cause as many
 * requests to the service.
 */
const SHORTEST_AGE = 10_000
/**
 * Options of a read of the secret: one attempt of at most 5 s, because the service waits only 10 s for the answer to a
 * webhook.
 */
const QUICK = { attempts: 1, timeoutMs: 5_000 }

const keyOf = ({ credentials }: Connection) => `${credentials.baseUrl} ${credentials.instanceId}`
const ageOf = (found: Known) => Date.now() - found.readAt

export async function secretOf(svc: Connection): Promise<string> {
  const found = known.get(keyOf(svc))
  if (found !== undefined && ageOf(found) < FRESH) return found.secret
  return readSecret(svc).catch((error) => {
    if (found !== undefined && ageOf(found) < USABLE) return found.secret
    throw error
  })
}

/** Reads the secret from the service. Webhooks that arrive during this read wait for the same read. */
function readSecret(svc: Connection): Promise<string> {
  const key = keyOf(svc)
  const begun = reads.get(key) ?? read(svc).finally(() => reads.delete(key))
  reads.set(key, begun)
  return begun
}

async function read(svc: Connection): Promise<string> {
  const { secret } = (await instanceOf(svc, QUICK)).webhooks
  known.set(keyOf(svc), { secret, readAt: Date.now() })
  return secret
}

/**
 * Removes the secret unless it is newer than `SHORTEST_AGE`. Returns true if it was removed; the caller then verifies
 * the signature with a new one.
 */
export function forgetSecret(svc: Connection): boolean {
  const found = known.get(keyOf(svc))
  if (found === undefined || ageOf(found) < SHORTEST_AGE) return false
  return known.delete(keyOf(svc))
}
