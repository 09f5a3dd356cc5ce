/**
 * Links a device to an account that requires its passkey: builds and parses the stanzas, and the protobufs and JSON
 * inside them.
 *
 *   <notification from="s.whatsapp.net" type="passkey_prologue_request"><passkey_request_options/>?     WebAuthn options as JSON
 *   <iq type="get" xmlns="md"><passkey_request_options/>                       answered with the same element
 *   <iq type="get" xmlns="md"><ref/>                                           answered with `<ref>`, an opaque text
 *   <iq type="set" xmlns="md"><passkey_prologue><credential_id/><webauthn_assertion/><prologue_payload/><pairing_handoff_proof/>?
 *   <notification from="s.whatsapp.net" type="crsc_continuation"><primary_ephemeral_identity/>          the phone's key and nonce
 *   <iq type="set" xmlns="md"><companion_nonce/>                               32 bytes
 *   <iq type="set" xmlns="md"><encrypted_pairing_request/>                     then `pair-success`, as after a scan
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, proto, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import type { PublicKeyOptions } from '../../../src/domain/passkey.ts'
import { contentText } from './content.ts'

export const KEY_BYTES = 32
const MAX_OPTIONS = 4_096
/** Maximum number of bytes of a reference. References of QR codes have about 90 characters. */
const MAX_REF = 1_024

export interface RequestOptions {
  publicKey: PublicKeyOptions
  challenge: Buffer
  rpId: string
  /** Whether the authenticator must verify who the person is, and not only that a person is present. */
  isVerificationRequired: boolean
  /** Ids of the credentials that may be used, in base64url. If empty, any passkey of the relying party may be used. */
  allowed: readonly string[]
}

/** Id of the relying party if the options contain none. A browser would use the host of the page. */
const DEFAULT_RP = 'web.whatsapp.com'

/** Returns the options in a stanza. Null if they are absent or too long, or if a browser could not use them. */
export function requestOptionsIn(stanza: BinaryNode): RequestOptions | null {
  const text = textWithin(getBinaryNodeChild(stanza, 'passkey_request_options'), MAX_OPTIONS)
  const json = text === null ? null : objectOf(text)
  const challenge = json && typeof json.challenge === 'string' ? base64urlBytes(json.challenge) : null
  if (json === null || challenge === null) return null
  return {
    publicKey: { ...json, challenge: json.challenge as string },
    challenge,
    rpId: typeof json.rpId === 'string' && json.rpId ? json.rpId : DEFAULT_RP,
    isVerificationRequired: json.userVerification === 'required',
    allowed: idsIn(json.allowCredentials),
  }
}

export const refIn = (answer: BinaryNode): string | null => textWithin(getBinaryNodeChild(answer, 'ref'), MAX_REF)

export interface PrimaryIdentity {
  publicKey: Uint8Array
  nonce: Uint8Array
}

export function primaryIdentityIn(notice: BinaryNode): PrimaryIdentity | null {
  const [child] = getAllBinaryNodeChildren(notice)
  if (child?.tag !== 'primary_ephemeral_identity' || !(child.content instanceof Uint8Array)) return null
  const identity = decoded(child.content)
  return identity?.publicKey?.length === KEY_BYTES && identity.nonce?.length === KEY_BYTES
    ? { publicKey: identity.publicKey, nonce: identity.nonce }
    : null
}

/** Whether the server itself sent the notification. During a pairing, notifications of any other sender are ignored. */
export const isFromServer = ({ attrs }: BinaryNode): boolean =>
  attrs.from === S_WHATSAPP_NET || `@${attrs.from}` === S_WHATSAPP_NET

export const optionsQuery = (): BinaryNode => query('get', { tag: 'passkey_request_options', attrs: {} })

export const refQuery = (): BinaryNode => query('get', { tag: 'ref', attrs: {} })

export interface Prologue {
  credentialId: Uint8Array
  assertion: Uint8Array
  payload: Uint8Array
  /**
   * Proof that this is the device whose code the phone has already accepted. Without it (null), the phone asks its
   * owner.
   */
  proof: Uint8Array | null
}

export const prologueQuery = ({ credentialId, assertion, payload, proof }: Prologue): BinaryNode =>
  query('set', {
    tag: 'passkey_prologue',
    attrs: {},
    content: [
      part('credential_id', credentialId),
      part('webauthn_assertion', assertion),
      part('prologue_payload', payload),
      ...(proof ? [part('pairing_handoff_proof', proof)] : []),
    ],
  })

export const nonceQuery = (nonce: Uint8Array): BinaryNode => query('set', part('companion_nonce', nonce))

export const sealedRequestQuery = (request: Uint8Array): BinaryNode => query('set', part('encrypted_pairing_request', request))

export interface CompanionIdentity {
  publicKey: Uint8Array
  /** Type of this device (`DeviceProps.PlatformType`). It must be the same as in the registration. */
  deviceType: number
  ref: string
}

export const companionIdentity = (identity: CompanionIdentity): Uint8Array =>
  proto.CompanionEphemeralIdentity.encode(identity).finish()

export const prologuePayload = (identity: Uint8Array, commitment: Uint8Array): Uint8Array =>
  proto.ProloguePayload.encode({ companionEphemeralIdentity: identity, commitment: { hash: commitment } }).finish()

export interface PairingRequest {
  /** Public key of this device in the Noise handshake. */
  companionPublicKey: Uint8Array
  companionIdentityKey: Uint8Array
  advSecret: Uint8Array
}

export const pairingRequest = (request: PairingRequest): Uint8Array => proto.PairingRequest.encode(request).finish()

export const sealedRequest = (sealed: Uint8Array, iv: Uint8Array): Uint8Array =>
  proto.EncryptedPairingRequest.encode({ encryptedPayload: sealed, iv }).finish()

/**
 * Decodes base64url. Null if the text is empty, has another character, or has an impossible length. The number of `=`
 * is not checked.
 */
export const base64urlBytes = (text: string): Buffer | null =>
  /^(?:[\w-]{4})*(?:[\w-]{2,4})={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null

const query = (type: 'get' | 'set', child: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns: 'md' },
  content: [child],
})

const part = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content })

function textWithin(node: BinaryNode | undefined, maxBytes: number): string | null {
  const text = contentText(node)
  return text !== null && text !== '' && Buffer.byteLength(text) <= maxBytes ? text : null
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const idsIn = (credentials: unknown): string[] =>
  Array.isArray(credentials)
    ? credentials.flatMap((each: { id?: unknown } | null) => (typeof each?.id === 'string' ? each.id : []))
    : []

function decoded(bytes: Uint8Array): proto.IPrimaryEphemeralIdentity | null {
  try {
    return proto.PrimaryEphemeralIdentity.decode(bytes)
  } catch {
    return null
  }
}
