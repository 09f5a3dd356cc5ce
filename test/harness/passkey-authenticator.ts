/** Simulates an authenticator (the device that holds a passkey) with WebCrypto, and verifies signatures of passkeys. */
import { type Bytes, isEqual, joined, random, sha256, utf8 } from './crsc.ts'

export interface Options {
  challenge: string
  timeout: number
  rpId: string
  [member: string]: unknown
}

/** The fields of the browser's result that the client sends to the network. */
export interface Signed {
  id: string
  rawId: string
  type: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

export async function createAuthenticator() {
  const { subtle } = globalThis.crypto
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  const { kty, crv, x, y } = await subtle.exportKey('jwk', pair.publicKey)
  const credentialId = Buffer.from(random(32)).toString('base64url')
  return {
    credential_id: credentialId,
    public_jwk: { kty, crv, x, y } as { kty: 'EC'; crv: 'P-256'; x: string; y: string },
    async sign({ challenge, rpId }: Options, origin = 'https://web.whatsapp.com'): Promise<Signed> {
      // Chromium sometimes adds a member to this JSON, so that no program compares the JSON as text.
      const clientData = utf8(
        JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false, other_keys_can_be_added_here: true }),
      )
      // The flags (5) say that the user is present and was verified. The last four bytes are the counter of signatures.
      const authenticatorData = joined(await sha256(utf8(rpId)), new Uint8Array([5, 0, 0, 0, 7]))
      const signed = joined(authenticatorData, await sha256(clientData))
      const raw = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, signed)
      const text = (value: Uint8Array) => Buffer.from(value).toString('base64url')
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        response: {
          clientDataJSON: text(clientData),
          authenticatorData: text(authenticatorData),
          signature: text(derOf(new Uint8Array(raw))),
          userHandle: null,
        },
      }
    },
  }
}

/**
 * Converts a signature from WebCrypto to ASN.1. WebCrypto returns the two numbers of a signature as 64 bytes, but an
 * authenticator returns them as two ASN.1 integers.
 */
function derOf(raw: Bytes): Bytes {
  const integer = (half: Bytes) => {
    const from = half.findIndex((byte) => byte !== 0)
    const digits = half.subarray(from === -1 ? 31 : from)
    const content = digits[0]! >= 0x80 ? joined(new Uint8Array([0]), digits) : digits
    return joined(new Uint8Array([2, content.length]), content)
  }
  const both = joined(integer(raw.subarray(0, 32)), integer(raw.subarray(32)))
  return joined(new Uint8Array([0x30, both.length]), both)
}

function rawOf(der: Bytes): Bytes {
  const padded = (integer: Bytes) => joined(new Uint8Array(32), integer).slice(-32)
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der[2] !== 2)
    throw new Error('the signature is not a pair of integers in ASN.1')
  const first = 4 + der[3]!
  if (der[first] !== 2 || first + 2 + der[first + 1]! !== der.length)
    throw new Error('the signature is not a pair of integers in ASN.1')
  return joined(padded(der.slice(4, first)), padded(der.slice(first + 2)))
}

export interface PasskeyPublic {
  credential_id: string
  public_jwk: { kty: 'EC'; crv: 'P-256'; x: string; y: string }
}

/**
 * Throws with the reason unless this passkey signed the challenge on a page of WhatsApp after the user was verified.
 */
export async function verifyAssertion(json: string, challenge: string, { credential_id, public_jwk }: PasskeyPublic) {
  const { rawId, response } = JSON.parse(json) as Signed
  const decoded = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url')) as Bytes
  const clientData = decoded(response.clientDataJSON)
  const authenticatorData = decoded(response.authenticatorData)
  const said = JSON.parse(new TextDecoder().decode(clientData)) as { type: string; challenge: string; origin: string }
  const { protocol, hostname } = new URL(said.origin)
  const facts: [string, boolean][] = [
    ['credential', rawId === credential_id],
    ['type', said.type === 'webauthn.get'],
    ['challenge', said.challenge === challenge],
    ['origin', protocol === 'https:' && /(^|\.)whatsapp\.com$/.test(hostname)],
    ['relying party', isEqual(authenticatorData.subarray(0, 32), await sha256(utf8('whatsapp.com')))],
    ['flags', ((authenticatorData[32] ?? 0) & 5) === 5],
  ]
  const { subtle } = globalThis.crypto
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await subtle.importKey('jwk', public_jwk, ecdsa, false, ['verify'])
  const signed = joined(authenticatorData, await sha256(clientData))
  facts.push(['signature', await subtle.verify(ecdsa, key, rawOf(decoded(response.signature)), signed)])
  for (const [name, holds] of facts) if (!holds) throw new Error(`the ${name} of the assertion is wrong`)
}
