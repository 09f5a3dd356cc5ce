import { createHash, createPublicKey, verify } from 'node:crypto'
import * as v from 'valibot'
import type { Passkey } from './passkey-model.ts'

export const RP_ID = 'whatsapp.com'

export const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40, extended: 0x80 }
const AUTHENTICATOR_DATA = 37

export const sha256 = (...parts: Uint8Array[]) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/**
 * Reason to refuse an assertion. `malformed`: the JSON is not an assertion. `untrue`: the assertion does not prove that
 * the passkey was used.
 */
export interface Refusal {
  kind: 'malformed' | 'untrue'
  problem: string
}

// The web client writes base64url without padding, so padding is refused.
const base64url = v.pipe(
  v.string(),
  v.regex(/^[\w-]+$/, 'is not base64url without padding'),
  v.transform((text) => Buffer.from(text, 'base64url')),
)

/** The JSON of an assertion. Other members, which browsers may add, are ignored. */
const AssertionJson = v.object({
  id: base64url,
  rawId: base64url,
  type: v.literal('public-key'),
  response: v.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: v.nullish(base64url),
  }),
})

const ClientData = v.object({
  type: v.string(),
  challenge: base64url,
  origin: v.string(),
  crossOrigin: v.optional(v.boolean(), false),
})

type Assertion = v.InferOutput<typeof AssertionJson>

function parse<S extends v.GenericSchema>(schema: S, bytes: Uint8Array, name: string): v.InferOutput<S> | Refusal {
  try {
    const result = v.safeParse(schema, JSON.parse(Buffer.from(bytes).toString('utf8')))
    if (result.success) return result.output
    const [issue] = result.issues
    return { kind: 'malformed', problem: `${name}: ${v.getDotPath(issue) ?? ''} ${issue.message}` }
  } catch (error) {
    return { kind: 'malformed', problem: `${name} is not JSON: ${String(error)}` }
  }
}

const isRefusal = (value: unknown): value is Refusal => typeof value === 'object' && value !== null && 'kind' in value

/** Returns the reason to refuse an assertion. Undefined if this passkey has signed this challenge. */
export function refusalOf(json: Uint8Array, credentialId: Buffer, challenge: Buffer, passkey: Passkey): Refusal | undefined {
  const assertion = parse(AssertionJson, json, 'webauthn_assertion')
  if (isRefusal(assertion)) return assertion
  const { id, rawId } = assertion
  if (!id.equals(rawId) || !rawId.equals(credentialId))
    return { kind: 'malformed', problem: 'id, rawId and credential_id are not equal' }
  const clientData = parse(ClientData, assertion.response.clientDataJSON, 'clientDataJSON')
  if (isRefusal(clientData)) return clientData
  const problem =
    problemOfClient(clientData, challenge) ??
    problemOfAuthenticator(assertion.response.authenticatorData) ??
    problemOfOwner(assertion, passkey)
  return problem === undefined ? undefined : { kind: 'untrue', problem }
}

function problemOfClient(clientData: v.InferOutput<typeof ClientData>, challenge: Buffer): string | undefined {
  if (clientData.type !== 'webauthn.get') return `clientDataJSON: type is ${clientData.type}`
  if (!clientData.challenge.equals(challenge)) return 'clientDataJSON: challenge is not the last one that was given out'
  if (!isOurOrigin(clientData.origin)) return `clientDataJSON: origin is ${clientData.origin}`
  return clientData.crossOrigin ? 'clientDataJSON: crossOrigin is true' : undefined
}

function isOurOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' && (hostname === RP_ID || hostname.endsWith(`.${RP_ID}`))
}

/**
 * Checks the data of the authenticator. Its counter is ignored, because synced passkeys usually send 0.
 */
function problemOfAuthenticator(data: Buffer): string | undefined {
  if (data.length < AUTHENTICATOR_DATA) return `authenticatorData: ${data.length} bytes`
  if (!data.subarray(0, 32).equals(sha256(Buffer.from(RP_ID)))) return `authenticatorData: not for ${RP_ID}`
  const flags = data[32] ?? 0
  const has = (flag: number) => (flags & flag) !== 0
  if (!has(FLAGS.present)) return 'authenticatorData: the person was not present'
  if (!has(FLAGS.verified)) return 'authenticatorData: the person was not verified'
  if (has(FLAGS.backedUp) && !has(FLAGS.backupEligible)) return 'authenticatorData: backed up, and not eligible for it'
  const mayBeLonger = has(FLAGS.extended) || has(FLAGS.attested)
  if (data.length > AUTHENTICATOR_DATA && !mayBeLonger)
    return `authenticatorData: ${data.length} bytes, and no flag for what follows`
  return undefined
}

function problemOfOwner({ rawId, response }: Assertion, passkey: Passkey): string | undefined {
  if (!rawId.equals(passkey.credentialId)) return 'the credential is not that of this account'
  const { userHandle, authenticatorData, clientDataJSON, signature } = response
  if (userHandle && passkey.userHandle && !userHandle.equals(passkey.userHandle)) return 'userHandle is another one'
  const key = createPublicKey({ key: { ...passkey.publicJwk }, format: 'jwk' })
  const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
  return verify('sha256', signed, { key, dsaEncoding: 'der' }, signature) ? undefined : 'the signature does not fit'
}
