/** Certificate authorities that connections to the network trust besides those of the system: in the sandbox its own authority, from a file. */
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

/** TLS contexts by file name. */
const contexts = new Map<string, SecureContext>()

/**
 * Returns the value of `secureContext` for connections; undefined for the system's authorities only, which Node reads
 * once by itself. With `ca` instead, each connection would read the 145 certificates of the system again, which takes
 * longer than the rest of the connection.
 */
export function trustedBy(ca: string | null): SecureContext | undefined {
  if (ca === null) return undefined
  const context = contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, readFileSync(ca, 'utf8')] })
  contexts.set(ca, context)
  return context
}
