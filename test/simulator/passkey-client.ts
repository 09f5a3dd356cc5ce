/**
 * A client that links to an account with a passkey. Socket, Noise and registration are those of the unmodified library, which does not know the
 * ceremony; the ceremony is this file's own, on WebCrypto. Each step can be taken by itself, and taken wrongly.
 */
import { EventEmitter, once } from 'node:events'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  agree,
  type Bytes,
  bytes,
  bytesAt,
  codeOf,
  type EphemeralPair,
  encryptionKey,
  handoffKey,
  hmac,
  joined,
  newEphemeral,
  protobuf,
  random,
  readProtobuf,
  seal,
  sha256,
  utf8,
} from '../harness/crsc.ts'
import type { Client } from './client.ts'

/** What a browser is given to sign. */
export interface Options {
  challenge: string
  timeout: number
  rpId: string
  [member: string]: unknown
}

/** What a browser gives back, of which the client sends these parts. */
export interface Signed {
  id: string
  rawId: string
  type: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

export interface Attempt {
  ref: string
  pair: EphemeralPair
  nonce: Bytes
  identity: Bytes
  payload: Bytes
}

export interface PrologueOptions {
  /** Without it no proof is sent. */
  withProof?: boolean
  /** Changes the stanza before it leaves. */
  change?(parts: BinaryNode[]): BinaryNode[]
}

/** `DeviceProps.PlatformType` of the browser that the library registers as. */
export const CHROME = 1
/** Time in ms that a notification is waited for. */
const PATIENCE = 20_000
const SERVER = '@s.whatsapp.net'

export type PasskeyClient = ReturnType<typeof passkeyClient>

export function passkeyClient(client: Client) {
  const { socket, auth } = client
  const requests: (Options | undefined)[] = []
  const continuations: { key: Bytes; nonce: Bytes }[] = []
  const heard = new EventEmitter()
  /** Made of the secret that the phone knows, before it was replaced. */
  let handoff: Promise<Bytes> | undefined

  // The library acknowledges notifications as soon as it knows its own number, which it does not before a scan.
  function ack({ attrs }: BinaryNode) {
    if (auth.creds.me) return
    const { id, from, type } = attrs
    void socket.sendNode({ tag: 'ack', attrs: { class: 'notification', id: id!, to: from!, type: type! } })
  }

  function rotate() {
    if (handoff) return
    handoff = handoffKey(bytes(Buffer.from(auth.creds.advSecretKey, 'base64')))
    auth.creds.advSecretKey = Buffer.from(random(32)).toString('base64')
  }

  socket.ws.on('CB:notification,type:passkey_prologue_request', (item: BinaryNode) => {
    rotate()
    const options = find(item, 'passkey_request_options')
    requests.push(options ? JSON.parse(Buffer.from(contentOf(options)).toString()) : undefined)
    ack(item)
    heard.emit('request')
  })
  socket.ws.on('CB:notification,type:crsc_continuation', (item: BinaryNode) => {
    ack(item)
    const fields = readProtobuf(contentOf(find(item, 'primary_ephemeral_identity')))
    continuations.push({ key: bytesAt(fields, 1, 32), nonce: bytesAt(fields, 2, 32) })
    heard.emit('continuation')
  })

  async function at<T>(items: T[], index: number, event: string): Promise<T> {
    while (items.length <= index) await once(heard, event, { signal: AbortSignal.timeout(PATIENCE) })
    return items[index]!
  }

  const query = (type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> =>
    socket.query({ tag: 'iq', attrs: { to: SERVER, type, xmlns: 'md' }, content: [content] })

  const me = {
    client,
    requests,
    continuations,
    /** The options of a request, which may have none. */
    requested: (count = 1) => at(requests, count - 1, 'request'),
    continued: (count = 1) => at(continuations, count - 1, 'continuation'),

    async queryOptions(): Promise<Options> {
      const answer = await query('get', { tag: 'passkey_request_options', attrs: {} })
      return JSON.parse(Buffer.from(contentOf(find(answer, 'passkey_request_options'))).toString())
    },

    async queryRef(): Promise<string> {
      return Buffer.from(contentOf(find(await query('get', { tag: 'ref', attrs: {} }), 'ref'))).toString()
    },

    /** Keys, nonce and commitment of one attempt. */
    async attempt(ref: string, deviceType = CHROME): Promise<Attempt> {
      const pair = await newEphemeral()
      const nonce = random(32)
      const identity = protobuf([
        [1, pair.publicKey],
        [2, deviceType],
        [3, ref],
      ])
      const commitment = protobuf([[1, await sha256(identity, nonce)]])
      const payload = protobuf([
        [1, identity],
        [2, commitment],
      ])
      return { ref, pair, nonce, identity, payload }
    },

    async sendPrologue({ payload }: Attempt, signed: Signed, { withProof = true, change }: PrologueOptions = {}) {
      const parts: BinaryNode[] = [
        { tag: 'credential_id', attrs: {}, content: bytes(Buffer.from(signed.rawId, 'base64url')) },
        { tag: 'webauthn_assertion', attrs: {}, content: utf8(JSON.stringify(assertionOf(signed))) },
        { tag: 'prologue_payload', attrs: {}, content: payload },
      ]
      if (withProof) parts.push({ tag: 'pairing_handoff_proof', attrs: {}, content: await hmac((await handoff)!, payload) })
      await query('set', { tag: 'passkey_prologue', attrs: {}, content: change ? change(parts) : parts })
    },

    sendNonce: ({ nonce }: Attempt) => query('set', { tag: 'companion_nonce', attrs: {}, content: nonce }),

    code: ({ nonce }: Attempt, primary: { key: Bytes; nonce: Bytes }) => codeOf(primary.nonce, nonce, primary.key),

    /** `fields`: the keys and the secret to be sealed, where they are not this client's own. */
    async sendRequest(
      { pair, ref }: Attempt,
      primary: { key: Bytes },
      fields: { noise?: Uint8Array; identity?: Uint8Array; secret?: Uint8Array; deviceType?: number } = {},
    ) {
      const key = await encryptionKey(await agree(pair, primary.key), fields.deviceType ?? CHROME, ref)
      const { noiseKey, signedIdentityKey, advSecretKey } = auth.creds
      const request = protobuf([
        [1, fields.noise ?? noiseKey.public],
        [2, fields.identity ?? signedIdentityKey.public],
        [3, fields.secret ?? Buffer.from(advSecretKey, 'base64')],
      ])
      const iv = random(12)
      const sealed = protobuf([
        [1, await seal(key, iv, request)],
        [2, iv],
      ])
      await query('set', { tag: 'encrypted_pairing_request', attrs: {}, content: sealed })
    },

    /** Everything up to the code. */
    async agreed(sign: (options: Options) => Signed | Promise<Signed>, options: PrologueOptions = {}) {
      const signed = await sign((await me.requested()) ?? (await me.queryOptions()))
      const attempt = await me.attempt(await me.queryRef())
      await me.sendPrologue(attempt, signed, options)
      const primary = await me.continued()
      await me.sendNonce(attempt)
      return { attempt, primary, code: await me.code(attempt, primary) }
    },

    /** Everything up to the sealed request. */
    async link(sign: (options: Options) => Signed | Promise<Signed>, options: PrologueOptions = {}) {
      const { attempt, primary, code } = await me.agreed(sign, options)
      await me.sendRequest(attempt, primary)
      return code
    },
  }
  return me
}

/** What the web client sends of what the browser gave it. */
function assertionOf({ id, rawId, type, response }: Signed) {
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
}

const find = (item: BinaryNode, tag: string) =>
  Array.isArray(item.content) ? item.content.find((child) => child.tag === tag) : undefined

function contentOf(item: BinaryNode | undefined): Uint8Array {
  const content = item?.content
  if (typeof content === 'string') return utf8(content)
  if (!(content instanceof Uint8Array)) throw new Error(`${item?.tag ?? 'nothing'} has no bytes`)
  return content
}

/** An authenticator of its own, whose key the network knows the public half of. */
export async function createAuthenticator() {
  const { subtle } = globalThis.crypto
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  const { kty, crv, x, y } = await subtle.exportKey('jwk', pair.publicKey)
  const credentialId = Buffer.from(random(32)).toString('base64url')
  return {
    credential_id: credentialId,
    public_jwk: { kty, crv, x, y } as { kty: 'EC'; crv: 'P-256'; x: string; y: string },
    async sign({ challenge, rpId }: Options, origin = 'https://web.whatsapp.com'): Promise<Signed> {
      // Chromium adds a member now and then, so that nobody compares the text.
      const clientData = utf8(
        JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false, other_keys_can_be_added_here: true }),
      )
      // User present and verified; a counter that goes on.
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

/** WebCrypto gives both halves of a signature in 64 bytes; authenticators give two integers of ASN.1. */
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
