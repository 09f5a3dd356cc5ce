import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { isSignedBy, newSigningPair, sign } from './curve.ts'

/**
 * Signal's sender keys: one hash chain and one signing key per device of an author and group. States are replaced and
 * never changed, so a failed operation leaves the old state.
 *     message key n = HKDF(HMAC(chain, 01), salt 0, "WhisperGroup", 48) = iv 16 | AES-256-CBC key 32
 *     next chain    = HMAC(chain, 02)
 *     distribution  = 33 | SenderKeyDistributionMessage{id, iteration, chainKey, signingKey 33 bytes}
 *     message       = 33 | SenderKeyMessage{id, iteration, ciphertext} | XEdDSA signature over all before it
 */
export interface OwnSenderKey {
  id: number
  iteration: number
  chainKey: string
  publicKey: string
  seed: string
}

/** The key of an author as a reader has it: the chain after the newest message, and the seeds of skipped messages. */
export interface AuthorSenderKey {
  id: number
  iteration: number
  chainKey: string
  publicKey: string
  skipped: { iteration: number; seed: string }[]
}

export const OwnSenderKeySchema = v.object({
  id: v.number(),
  iteration: v.number(),
  chainKey: v.string(),
  publicKey: v.string(),
  seed: v.string(),
})

export const AuthorSenderKeySchema = v.object({
  id: v.number(),
  iteration: v.number(),
  chainKey: v.string(),
  publicKey: v.string(),
  skipped: v.array(v.object({ iteration: v.number(), seed: v.string() })),
})

/**
 * Version byte of a message. Each half of it is a version: the current one, and the oldest compatible one. Both are 3.
 */
const VERSION = 0x33
const SIGNATURE_BYTES = 64
/** Maximum number of steps by which a message may be ahead of the chain, as in Signal. */
const MAX_AHEAD = 2000
/** Maximum number of an author's keys for one group that are kept for late messages, as in Signal. */
export const MAX_KEYS_PER_AUTHOR = 5

export function newSenderKey(): OwnSenderKey {
  const signing = newSigningPair()
  return {
    id: randomInt(0x7fffffff),
    iteration: 0,
    chainKey: base64(randomBytes(32)),
    publicKey: base64(signing.pubKey),
    seed: base64(signing.seed),
  }
}

/**
 * Returns the message that gives the key to a new reader. The reader can decrypt later messages with it, but no earlier
 * ones.
 */
export function distributionOf(key: OwnSenderKey): Uint8Array {
  const body = proto.SenderKeyDistributionMessage.encode({
    id: key.id,
    iteration: key.iteration,
    chainKey: bytes(key.chainKey),
    signingKey: bytes(key.publicKey),
  }).finish()
  return Buffer.concat([Buffer.from([VERSION]), body])
}

export function readDistribution(distribution: Uint8Array): AuthorSenderKey {
  expectVersion(distribution)
  const { id, iteration, chainKey, signingKey } = proto.SenderKeyDistributionMessage.decode(distribution.subarray(1))
  if (chainKey?.length !== 32 || signingKey?.length !== 33)
    throw new Error('sender key distribution lacks a chain or a signing key')
  return { id: id ?? 0, iteration: iteration ?? 0, chainKey: base64(chainKey), publicKey: base64(signingKey), skipped: [] }
}

export function sealWithSenderKey(key: OwnSenderKey, plaintext: Uint8Array): { ciphertext: Uint8Array; next: OwnSenderKey } {
  const chain = bytes(key.chainKey)
  const { iv, cipherKey } = messageKey(seedOf(chain))
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const body = proto.SenderKeyMessage.encode({
    id: key.id,
    iteration: key.iteration,
    ciphertext: Buffer.concat([cipher.update(plaintext), cipher.final()]),
  }).finish()
  const signed = Buffer.concat([Buffer.from([VERSION]), body])
  return {
    ciphertext: Buffer.concat([signed, sign({ seed: bytes(key.seed) }, signed)]),
    next: { ...key, iteration: key.iteration + 1, chainKey: base64(nextChain(chain)) },
  }
}

/**
 * Decrypts a message. `keys`: keys that the author has distributed, newest first. Also returns the state after this
 * message, which replaces the earlier one.
 */
export function unsealWithSenderKey(
  keys: AuthorSenderKey[],
  ciphertext: Uint8Array,
): { plaintext: Uint8Array; advanced: AuthorSenderKey } {
  expectVersion(ciphertext)
  const signed = ciphertext.subarray(0, -SIGNATURE_BYTES)
  const message = proto.SenderKeyMessage.decode(signed.subarray(1))
  const key = keys.find(({ id }) => id === (message.id ?? 0))
  if (!key) throw new Error(`no sender key ${message.id} from this author`)
  if (!isSignedBy(bytes(key.publicKey), signed, ciphertext.subarray(-SIGNATURE_BYTES)))
    throw new Error('sender key signature is wrong')
  const { seed, advanced } = advance(key, message.iteration ?? 0)
  const { iv, cipherKey } = messageKey(seed)
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  return { plaintext: Buffer.concat([decipher.update(message.ciphertext ?? new Uint8Array()), decipher.final()]), advanced }
}

function advance(key: AuthorSenderKey, iteration: number): { seed: Buffer; advanced: AuthorSenderKey } {
  if (iteration < key.iteration) {
    const late = key.skipped.find((entry) => entry.iteration === iteration)
    if (!late) throw new Error(`sender key message ${iteration} was already read, the chain is at ${key.iteration}`)
    return { seed: bytes(late.seed), advanced: { ...key, skipped: key.skipped.filter((entry) => entry !== late) } }
  }
  if (iteration - key.iteration > MAX_AHEAD)
    throw new Error(`sender key message ${iteration} is too far ahead of ${key.iteration}`)
  const skipped = [...key.skipped]
  let chain = bytes(key.chainKey)
  for (let at = key.iteration; at < iteration; at++) {
    skipped.push({ iteration: at, seed: base64(seedOf(chain)) })
    chain = nextChain(chain)
  }
  const advanced = { ...key, iteration: iteration + 1, chainKey: base64(nextChain(chain)), skipped: skipped.slice(-MAX_AHEAD) }
  return { seed: seedOf(chain), advanced }
}

function messageKey(seed: Uint8Array): { iv: Buffer; cipherKey: Buffer } {
  const derived = Buffer.from(hkdfSync('sha256', seed, Buffer.alloc(32), 'WhisperGroup', 48))
  return { iv: derived.subarray(0, 16), cipherKey: derived.subarray(16) }
}

const seedOf = (chain: Uint8Array): Buffer =>
  createHmac('sha256', chain)
    .update(Buffer.from([1]))
    .digest()
const nextChain = (chain: Uint8Array): Buffer =>
  createHmac('sha256', chain)
    .update(Buffer.from([2]))
    .digest()

function expectVersion(message: Uint8Array): void {
  if (message[0] !== VERSION)
    throw new Error(`a sender key message has version ${message[0]?.toString(16)} (hexadecimal); expected 33`)
}

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64')
const bytes = (value: string): Buffer => Buffer.from(value, 'base64')
