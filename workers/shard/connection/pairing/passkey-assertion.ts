/**
 * Compares a WebAuthn assertion with the options that the browser had to sign. A wrong assertion is refused here,
 * because each sent assertion uses one attempt. Only the network can verify the signature.
 */
import { createHash } from 'node:crypto'
import type { Issue } from '../../../../src/domain/failures.ts'
import type { Assertion } from '../../../../src/domain/passkey.ts'
import { base64urlBytes, type RequestOptions } from '../../wire/passkey.ts'

const FLAGS_AT = 32
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

export const assertionJson = ({ id, rawId, type, response }: Assertion): Buffer => {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return Buffer.from(
    JSON.stringify({
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature, userHandle: userHandle ?? null },
    }),
  )
}

export function problemOf(assertion: Assertion, options: RequestOptions): Issue | null {
  const at = (path: string, message: string | null) => (message === null ? null : { path: `assertion.${path}`, message })
  const { clientDataJSON, authenticatorData } = assertion.response
  return (
    at('id', problemOfId(assertion.id, options)) ??
    at('response.clientDataJSON', problemOfClient(clientDataJSON, options)) ??
    at('response.authenticatorData', problemOfAuthenticator(authenticatorData, options))
  )
}

const problemOfId = (id: string, { allowed }: RequestOptions): string | null =>
  allowed.length === 0 || allowed.some((each) => base64urlBytes(each)?.equals(Buffer.from(id, 'base64url')))
    ? null
    : 'is not a passkey that WhatsApp asked for; choose the one of this number'

function problemOfClient(encoded: string, { challenge, rpId }: RequestOptions): string | null {
  const client = clientOf(encoded)
  if (client === null) return 'must be JSON with a type, a challenge and an origin'
  if (client.type !== 'webauthn.get') return 'must be of the type webauthn.get'
  if (!base64urlBytes(client.challenge)?.equals(challenge)) return 'was signed for another challenge; reload that page'
  if (!isPageOf(rpId, client.origin)) return `was signed on ${client.origin.slice(0, 100)}, which is no page of ${rpId}`
  return client.crossOrigin === true ? 'was signed in a frame of another page' : null
}

interface ClientData {
  type: string
  challenge: string
  origin: string
  crossOrigin?: unknown
}

/** Parses the client data. Browsers add random fields on purpose, so the JSON is parsed and never compared as text. */
function clientOf(encoded: string): ClientData | null {
  try {
    const data = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Record<string, unknown> | null
    const isWhole = ['type', 'challenge', 'origin'].every((name) => typeof data?.[name] === 'string')
    return isWhole ? (data as unknown as ClientData) : null
  } catch {
    return null
  }
}

/**
 * Whether a page may use the passkeys of `rpId`: it may use those of its host and of the parent domains of its host.
 */
function isPageOf(rpId: string, origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' && (hostname === rpId || hostname.endsWith(`.${rpId}`))
}

function problemOfAuthenticator(encoded: string, { rpId, isVerificationRequired }: RequestOptions): string | null {
  const data = Buffer.from(encoded, 'base64url')
  const flags = data[FLAGS_AT] ?? 0
  if (!data.subarray(0, FLAGS_AT).equals(createHash('sha256').update(rpId).digest())) return `is not for ${rpId}`
  if ((flags & USER_PRESENT) === 0) return 'does not say that somebody was there'
  if (isVerificationRequired && (flags & USER_VERIFIED) === 0)
    return 'does not say that the person was verified; use the fingerprint, the face or the PIN'
  return null
}
