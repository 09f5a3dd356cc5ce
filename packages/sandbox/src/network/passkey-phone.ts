import { createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { agree, generateKeyPair, hkdf, hmac, type KeyPair } from '../wire/keys.ts'
import type { Ceremony } from './model.ts'
import { sha256 } from './passkey-assertion.ts'
import { discard, isOver } from './passkey-ceremony.ts'
import { linkWith } from './passkey-link.ts'
import type { Primary, Prologue } from './passkey-model.ts'
import { identityOf, sendIdentity } from './passkey-stanzas.ts'

/**
 * Acts as the phone when a device is linked with a passkey. It checks that the device is the scanned one, agrees with
 * it on a key and a code, and decrypts its request. Only the phone shows errors.
 */

const HANDOFF_SECONDS = 300
const TAG = 16
const IV = 12
const KEY = 32
const NO_SALT = Buffer.alloc(0)

/** Characters of the confirmation codes, and of pairing codes. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'

interface Attempt {
  /** The ephemeral identity of the device. `commitment` is a hash of this identity and of the nonce of the device. */
  identity: Buffer
  publicKey: Buffer
  deviceType: number
  ref: string
  commitment: Buffer
  /**
   * Whether the phone links the device without asking its owner: the proof is good, and WhatsApp is in the foreground.
   */
  isHandedOff: boolean
  pair: KeyPair
  nonce: Buffer
  key: Buffer | undefined
  isConfirmed: boolean
  secret: Buffer | undefined
}

export function createPasskeyPhone(ceremony: Ceremony): Primary {
  const { passkey } = ceremony
  let attempt: Attempt | undefined
  /** The key that verifies the proof. It can be used only once. */
  let handoffKey: Buffer | undefined = hkdf(ceremony.handedSecret, KEY, NO_SALT, 'shortcake-passkey-handoff-v1')

  function judgeProof({ payload, proof }: Prologue): Ceremony['proof'] {
    const key = handoffKey
    handoffKey = undefined
    if (!proof) return 'none'
    if (!key || !equal(proof, hmac(key, payload))) return 'bad'
    if (Date.now() - ceremony.startedAt > HANDOFF_SECONDS * 1000) return 'late'
    return passkey.bend.proof === 'refuse' ? 'refused' : 'good'
  }

  function ask(question: 'link' | 'code') {
    ceremony.asks = question
    if (passkey.answers !== 'never') answer(passkey.answers === 'yes')
  }

  function answer(yes: boolean, code?: string): boolean {
    const question = ceremony.asks
    if (!attempt || question === null) return false
    ceremony.asks = null
    const isYes = yes && (code === undefined || plain(code) === plain(ceremony.code ?? ''))
    if (!isYes) discard(ceremony, question === 'link' ? 'the owner did not want to link' : 'the owner said that the codes differ')
    else if (question === 'link') identify(attempt)
    else confirm(attempt)
    return true
  }

  const identify = ({ pair, nonce }: Attempt) => sendIdentity(ceremony, identityOf(pair.publicKey, nonce))

  function confirm(current: Attempt) {
    current.isConfirmed = true
    finish(current)
  }

  function finish({ isConfirmed, secret }: Attempt) {
    if (isConfirmed && secret) linkWith(ceremony, secret)
  }

  return {
    takePrologue(prologue) {
      ceremony.proof = judgeProof(prologue)
      if (isOver(ceremony)) return
      if (passkey.limit) return discard(ceremony, 'as many devices are linked as the account may have')
      const current = attemptOf(prologue, ceremony.proof === 'good' && passkey.app === 'front')
      attempt = current
      if (current.isHandedOff) identify(current)
      else ask('link')
    },
    takeNonce(companionNonce) {
      if (isOver(ceremony) || !attempt) return
      const current = attempt
      if (!equal(current.commitment, sha256(current.identity, companionNonce)))
        return discard(ceremony, 'the nonce is not the one that the commitment was made of')
      const shared = agree(current.pair, current.publicKey)
      if (shared.every((byte) => byte === 0)) return discard(ceremony, 'the shared secret of the key agreement is zero')
      const salt = Buffer.from(`Companion Pairing ${current.deviceType} with ref ${current.ref}`)
      current.key = hkdf(shared, KEY, salt, 'Pairing Information Encryption Key')
      ceremony.code = codeOf(current.nonce, companionNonce, current.pair.publicKey)
      if (current.isHandedOff) confirm(current)
      else ask('code')
    },
    takeRequest(sealed) {
      if (isOver(ceremony) || !attempt?.key) return
      const request = open(sealed, attempt.key)
      const problem = request ? problemOf(ceremony, request) : 'the sealed request does not open'
      if (!request || problem) return discard(ceremony, problem ?? '')
      attempt.secret = Buffer.from(request.advSecret ?? [])
      finish(attempt)
    },
    answer,
    leave() {
      const isHandoffPending = ceremony.stage === 'asked' && handoffKey !== undefined
      if (isHandoffPending || ceremony.asks) discard(ceremony, 'WhatsApp left the foreground')
    },
  }
}

const plain = (code: string) => code.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
const equal = (one: Uint8Array, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other)

/**
 * Returns the phone's record of an attempt to link, from the device's prologue. The server has already checked that its
 * payload and identity are complete.
 */
function attemptOf({ payload }: Prologue, isHandedOff: boolean): Attempt {
  const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload)
  const identity = Buffer.from(companionEphemeralIdentity ?? [])
  const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity)
  return {
    identity,
    publicKey: Buffer.from(publicKey ?? []),
    deviceType: deviceType ?? 0,
    ref: ref ?? '',
    commitment: Buffer.from(commitment?.hash ?? []),
    isHandedOff,
    pair: generateKeyPair(),
    nonce: randomBytes(KEY),
    key: undefined,
    isConfirmed: false,
    secret: undefined,
  }
}

/**
 * Returns the confirmation code: two groups of four characters. Its 40 bits depend on both nonces and the phone's key.
 */
function codeOf(primaryNonce: Buffer, companionNonce: Buffer, primaryKey: Buffer): string {
  const mask = sha256(companionNonce, primaryKey)
  let bits = 0n
  for (let at = 0; at < 5; at++) bits = (bits << 8n) | BigInt((primaryNonce[at] ?? 0) ^ (mask[at] ?? 0))
  const letters = Array.from({ length: 8 }, (_, at) => ALPHABET[Number((bits >> BigInt(35 - 5 * at)) & 31n)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

function open(sealed: Buffer, key: Buffer): proto.IPairingRequest | undefined {
  try {
    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(sealed)
    if (!encryptedPayload || encryptedPayload.length <= TAG || iv?.length !== IV) return undefined
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG })
    decipher.setAuthTag(encryptedPayload.subarray(-TAG))
    const opened = Buffer.concat([decipher.update(encryptedPayload.subarray(0, -TAG)), decipher.final()])
    return proto.PairingRequest.decode(opened)
  } catch {
    // All requests that cannot be decrypted or parsed are handled in the same way.
    return undefined
  }
}

/**
 * Checks a decrypted request: the keys must be those of the code and of the registration, and the secret must be new.
 * Returns undefined if there is no problem.
 */
function problemOf({ connection, handedSecret }: Ceremony, request: proto.IPairingRequest): string | undefined {
  const { companionPublicKey, companionIdentityKey, advSecret } = request
  const client = connection.registration
  const identity = client?.payload.devicePairingData?.eIdent
  if (!companionPublicKey || !client?.staticKey.equals(companionPublicKey))
    return 'the sealed Noise key is not the one in the code'
  if (!companionIdentityKey || !identity || !Buffer.from(identity).equals(companionIdentityKey))
    return 'the sealed identity key is not the one in the code'
  if (advSecret?.length !== KEY) return `the sealed secret has ${advSecret?.length ?? 0} bytes`
  return handedSecret.equals(advSecret) ? 'the sealed secret is the one in the code, not a new one' : undefined
}
