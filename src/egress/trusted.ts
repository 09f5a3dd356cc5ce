/** Whom connections to the network trust besides the system's authorities: in the sandbox its own authority, of a file. */
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

/** By the name of the file. */
const contexts = new Map<string, SecureContext>()

/**
 * What connections are given as `secureContext`; undefined: the system's authorities alone, which Node reads once by itself. With `ca` instead, each
 * connection would read the 145 certificates of the system anew, which takes longer than everything else that a connection does.
 */
export function trustedBy(ca: string | null): SecureContext | undefined {
  if (ca === null) return undefined
  const context = contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, readFileSync(ca, 'utf8')] })
  contexts.set(ca, context)
  return context
}
