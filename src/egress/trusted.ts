/**
 * Certificate authorities that connections to WhatsApp trust in addition to those of the system. In the sandbox this is
 * its own authority, from a file.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

const contexts = new Map<string, SecureContext>()

/**
 * Returns the authorities for a connection; undefined if only those of the system are trusted. With the option `ca`
 * instead, each connection would read the 145 certificates of the system again, which takes longer than the rest of the
 * connection.
 */
export function trustedBy(ca: string | null): SecureContext | undefined {
  if (ca === null) return undefined
  const context = contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, readFileSync(ca, 'utf8')] })
  contexts.set(ca, context)
  return context
}
