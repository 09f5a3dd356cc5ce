/**
 * Simulates the phone's side of linking with a passkey, without code of the simulator. The sandbox passes to it what
 * the network sends to the phone.
 */
import type { RelayInput, RelayItem } from '../../packages/sandbox/src/testing.ts'
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
  isEqual,
  newEphemeral,
  protobuf,
  random,
  readProtobuf,
  sha256,
  unseal,
} from './crsc.ts'
import { type PasskeyPublic, verifyAssertion } from './passkey-authenticator.ts'

export interface Relay {
  read(after: number, waitMs: number): Promise<{ items: RelayItem[] }>
  send(input: RelayInput): unknown
}

export interface Owner {
  /**
   * Asks the person whether to link the device. With a valid proof and WhatsApp in the foreground, the phone links
   * without asking.
   */
  wantsToLink(): boolean | Promise<boolean>
  codeIsEqual(code: string): boolean | Promise<boolean>
}

export interface PlayedPhone {
  /** Whether the last prologue (the client's first message) contained a valid proof. */
  readonly hasProof: boolean | undefined
  readonly code: string | undefined
  /**
   * Resolves when the phone has sent the secret that the rest of the linking needs; rejects with the error that the
   * phone found.
   */
  readonly done: Promise<void>
  /** Stops the phone. `done` then rejects. */
  stop(): void
}

type Item<What extends RelayItem['what']> = Extract<RelayItem, { what: What }>

const WAIT_MS = 10_000
const HANDOFF_MS = 300_000
const fromBase64 = (text: string) => bytes(Buffer.from(text, 'base64'))
const toBase64 = (from: Uint8Array) => Buffer.from(from).toString('base64')

export interface PhoneOptions {
  passkey: PasskeyPublic
  owner: Owner
  isInFront?: boolean
}

export function playPhone(relay: Relay, options: PhoneOptions): PlayedPhone {
  const phone = createPhone(relay, options)
  let isStopped = false
  async function listen() {
    for (let after = 0; !phone.isDone; ) {
      const { items } = await relay.read(after, WAIT_MS)
      if (isStopped) throw new Error('the phone was stopped')
      if (items.length === 0) throw new Error(`the companion did nothing more for ${WAIT_MS} ms`)
      for (const item of items) {
        await phone.take(item)
        after = item.seq
      }
    }
  }
  const done = listen()
  // A rejection that no test awaits must not fail the test.
  done.catch(() => {})
  return {
    done,
    stop() {
      isStopped = true
    },
    get hasProof() {
      return phone.hasProof
    },
    get code() {
      return phone.code
    },
  }
}

function createPhone(relay: Relay, { passkey, owner, isInFront = true }: PhoneOptions) {
  let accepted: { noiseKey: Bytes; identityKey: Bytes; secret: Bytes; at: number } | undefined
  let companion: { identity: Bytes; key: Bytes; deviceType: number; ref: string; commitment: Bytes } | undefined
  let own: { pair: EphemeralPair; nonce: Bytes } | undefined
  let key: Bytes | undefined
  let mayLink = false

  const phone = {
    isDone: false,
    hasProof: undefined as boolean | undefined,
    code: undefined as string | undefined,

    async take(item: RelayItem): Promise<void> {
      if (item.what === 'accepted') return accept(item)
      if (item.what === 'prologue') return prologue(item)
      if (item.what === 'nonce') return nonce(fromBase64(item.companion_nonce))
      return request(fromBase64(item.encrypted_pairing_request))
    },
  }

  function accept({ adv_secret, noise_key, identity_key }: Item<'accepted'>) {
    const keys = { noiseKey: fromBase64(noise_key), identityKey: fromBase64(identity_key) }
    accepted = { ...keys, secret: fromBase64(adv_secret), at: Date.now() }
  }

  async function prologue(item: Item<'prologue'>) {
    await verifyAssertion(item.webauthn_assertion, item.challenge, passkey)
    if (fromBase64(item.credential_id).length === 0) throw new Error('the prologue has no credential id')
    const payload = fromBase64(item.prologue_payload)
    companion = companionOf(payload)
    phone.hasProof = await holds(payload, item.pairing_handoff_proof)
    mayLink = phone.hasProof && isInFront
    if (!mayLink && !(await owner.wantsToLink())) throw new Error('the owner did not want to link')
    own = { pair: await newEphemeral(), nonce: random(32) }
    const identity = protobuf([
      [1, own.pair.publicKey],
      [2, own.nonce],
    ])
    await relay.send({ primary_ephemeral_identity: toBase64(identity) })
  }

  async function holds(payload: Bytes, proof: string | null): Promise<boolean> {
    if (!accepted || proof === null || Date.now() - accepted.at > HANDOFF_MS) return false
    return isEqual(await hmac(await handoffKey(accepted.secret), payload), fromBase64(proof))
  }

  async function nonce(companionNonce: Bytes) {
    if (!companion || !own) throw new Error('the nonce arrived before the prologue')
    if (!isEqual(companion.commitment, await sha256(companion.identity, companionNonce)))
      throw new Error('the nonce does not match the commitment in the prologue')
    key = await encryptionKey(await agree(own.pair, companion.key), companion.deviceType, companion.ref)
    phone.code = await codeOf(own.nonce, companionNonce, own.pair.publicKey)
  }

  async function request(sealed: Bytes) {
    if (!key || !accepted) throw new Error('the encrypted request arrived before the nonce or the QR code')
    const { noiseKey, identityKey, secret } = await opened(sealed, key)
    if (!isEqual(noiseKey, accepted.noiseKey))
      throw new Error('the encrypted request contains another Noise key than the QR code')
    if (!isEqual(identityKey, accepted.identityKey))
      throw new Error('the encrypted request contains another identity key than the QR code')
    if (isEqual(secret, accepted.secret)) throw new Error('the encrypted request repeats the secret of the QR code')
    if (!mayLink && !(await owner.codeIsEqual(phone.code!))) throw new Error('the owner said that the codes differ')
    await relay.send({ adv_secret: toBase64(secret) })
    phone.isDone = true
  }

  return phone
}

function companionOf(payload: Bytes) {
  const outer = readProtobuf(payload)
  const identity = bytesAt(outer, 1)
  const commitment = bytesAt(readProtobuf(bytesAt(outer, 2)), 1, 32)
  const fields = readProtobuf(identity)
  const deviceType = fields.get(2)
  if (typeof deviceType !== 'number') throw new Error('the companion does not say what kind of device it is')
  return {
    identity,
    commitment,
    key: bytesAt(fields, 1, 32),
    deviceType,
    ref: new TextDecoder().decode(bytesAt(fields, 3)),
  }
}

async function opened(sealed: Bytes, key: Bytes) {
  const envelope = readProtobuf(sealed)
  const fields = readProtobuf(await unseal(key, bytesAt(envelope, 2, 12), bytesAt(envelope, 1)))
  return { noiseKey: bytesAt(fields, 1, 32), identityKey: bytesAt(fields, 2, 32), secret: bytesAt(fields, 3, 32) }
}
