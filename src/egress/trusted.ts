/**
 * Certificate authorities that connections to WhatsApp trust besides those of the system: in the sandbox its own
 * authority, from a file.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

const contexts = new Map<string, SecureContext>()

/**
 * Undefined if only the system's authorities are trusted. With the option `ca` instead, each connection would read the
 * 145 certificates of the system again, which takes longer than the rest of the connection.
 */
export function trustedBy(ca: string | null): SecureContext | undefined {
  if (ca === null) return undefined
  const context = contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, readFileSync(ca, 'utf8')] })
  contexts.set(ca, context)
  return context
}
