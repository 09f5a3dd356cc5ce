/**
 * Certificate authorities that connections to WhatsApp trust in addition to those that Node contains. The sandbox, for
 * example, has its own authority in a file.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

const contexts = new Map<string, SecureContext>()

/**
 * Returns a context that trusts the authority in the file `ca` and those that Node contains; undefined if `ca` is null,
 * because Node's own are then enough. The context is made once per file: with the option `ca`, each connection would
 * parse about 145 certificates again.
 */
export function trustedBy(ca: string | null): SecureContext | undefined {
  if (ca === null) return undefined
  const context = contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, readFileSync(ca, 'utf8')] })
  contexts.set(ca, context)
  return context
}
