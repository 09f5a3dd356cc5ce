/**
 * A client that is linked to an account with a passkey, which the unmodified library does not support. A test can
 * perform each step of the linking alone, and with errors.
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
  newEphemeral,
  protobuf,
  random,
  readProtobuf,
  seal,
  sha256,
  utf8,
} from '../harness/crsc.ts'
import type { Options, Signed } from '../harness/passkey-authenticator.ts'
import type { Client } from './client.ts'

export interface Attempt {
  ref: string
  pair: EphemeralPair
  nonce: Bytes
  identity: Bytes
  payload: Bytes
}

export interface PrologueOptions {
  withProof?: boolean
  change?(parts: BinaryNode[]): BinaryNode[]
}

export interface SealedFields {
  noise?: Uint8Array
  identity?: Uint8Array
  secret?: Uint8Array
  deviceType?: number
  changeSealed?(sealed: Bytes): Uint8Array
  changeIv?(iv: Bytes): Uint8Array
}

/** Browser that the library names when it registers, as a value of `DeviceProps.PlatformType`. */
export const CHROME = 1
/** Time limit in ms for a notification. */
const PATIENCE = 20_000
const SERVER = '@s.whatsapp.net'

export type PasskeyClient = ReturnType<typeof passkeyClient>

export function passkeyClient(client: Client) {
  const { socket, auth } = client
  const requests: BinaryNode[] = []
  const continuations: BinaryNode[] = []
  const heard = new EventEmitter()
  /** Key of the proof (handoff), derived from the secret in the scanned code before `rotate` replaces that secret. */
  let handoff: Promise<Bytes> | undefined

  // The library acknowledges notifications only when it knows its own number, and it does not know this number before
  // the code is scanned. So this client acknowledges them itself.
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
    requests.push(item)
    ack(item)
    heard.emit('request')
  })
  socket.ws.on('CB:notification,type:crsc_continuation', (item: BinaryNode) => {
    ack(item)
    continuations.push(item)
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
    /**
     * Resolves with the passkey options of the `count`th request of the network, or with undefined if the request has
     * none. Rejects if they are not JSON.
     */
    async requested(count = 1): Promise<Options | undefined> {
      const options = find(await at(requests, count - 1, 'request'), 'passkey_request_options')
      return options && JSON.parse(Buffer.from(contentOf(options)).toString())
    },
    /**
     * Resolves with the phone's key and nonce from the `count`th continuation. Rejects if the continuation is invalid.
     */
    continued: async (count = 1) => primaryOf(await at(continuations, count - 1, 'continuation')),

    async queryOptions(): Promise<Options> {
      const answer = await query('get', { tag: 'passkey_request_options', attrs: {} })
      return JSON.parse(Buffer.from(contentOf(find(answer, 'passkey_request_options'))).toString())
    },

    async queryRef(): Promise<string> {
      return Buffer.from(contentOf(find(await query('get', { tag: 'ref', attrs: {} }), 'ref'))).toString()
    },

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

    /** Sends a query whose child has this tag and this content, which may be invalid. */
    send: (tag: string, content: BinaryNode['content']) => query('set', { tag, attrs: {}, content }),

    sendNonce: ({ nonce }: Attempt) => me.send('companion_nonce', nonce),

    code: ({ nonce }: Attempt, primary: { key: Bytes; nonce: Bytes }) => codeOf(primary.nonce, nonce, primary.key),

    /** Sends the pairing request. `fields` replace its keys and its secret, or change its ciphertext and its IV. */
    async sendRequest({ pair, ref }: Attempt, primary: { key: Bytes }, fields: SealedFields = {}) {
      const key = await encryptionKey(await agree(pair, primary.key), fields.deviceType ?? CHROME, ref)
      const { noiseKey, signedIdentityKey, advSecretKey } = auth.creds
      const request = protobuf([
        [1, fields.noise ?? noiseKey.public],
        [2, fields.identity ?? signedIdentityKey.public],
        [3, fields.secret ?? Buffer.from(advSecretKey, 'base64')],
      ])
      const iv = random(12)
      const encrypted = await seal(key, iv, request)
      const sealed = protobuf([
        [1, fields.changeSealed?.(encrypted) ?? encrypted],
        [2, fields.changeIv?.(iv) ?? iv],
      ])
      await me.send('encrypted_pairing_request', sealed)
    },

    /** Performs all steps until the phone and the client have the confirmation code. */
    async agreed(sign: (options: Options) => Signed | Promise<Signed>, options: PrologueOptions = {}) {
      const signed = await sign((await me.requested()) ?? (await me.queryOptions()))
      const attempt = await me.attempt(await me.queryRef())
      await me.sendPrologue(attempt, signed, options)
      const primary = await me.continued()
      await me.sendNonce(attempt)
      return { attempt, primary, code: await me.code(attempt, primary) }
    },

    async link(sign: (options: Options) => Signed | Promise<Signed>, options: PrologueOptions = {}) {
      const { attempt, primary, code } = await me.agreed(sign, options)
      await me.sendRequest(attempt, primary)
      return code
    },
  }
  return me
}

function primaryOf(item: BinaryNode): { key: Bytes; nonce: Bytes } {
  if (item.attrs.from !== SERVER) throw new Error(`a continuation from ${item.attrs.from}`)
  const fields = readProtobuf(contentOf(find(item, 'primary_ephemeral_identity')))
  return { key: bytesAt(fields, 1, 32), nonce: bytesAt(fields, 2, 32) }
}

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
