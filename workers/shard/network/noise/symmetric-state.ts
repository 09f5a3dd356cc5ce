/**
 * The keys and the hash of a Noise handshake while it runs (Noise, revision 34, section 5.2), with AES-256-GCM and
 * SHA-256. Every key depends on all key agreements so far, and every ciphertext is bound to the hash of all data that
 * the two sides have exchanged.
 */
import { createHash, hkdfSync } from 'node:crypto'
import { sealFrame, unsealFrame } from './cipher.ts'

export interface SymmetricState {
  /** Binds data to the handshake: the next ciphertexts are valid only if the other side has mixed in the same data. */
  mixHash(data: Uint8Array): void
  /** Makes the next keys depend on the result of a key agreement. */
  mixKey(secret: Uint8Array): void
  encrypt(plaintext: Uint8Array): Buffer
  /** Throws if the ciphertext was changed, or if the two sides do not have the same keys and hash. */
  decrypt(ciphertext: Uint8Array): Buffer
  /** Returns the keys of the frames after the handshake. */
  split(): FrameKeys
}

export interface FrameKeys {
  /** Key of the frames that the initiator of the handshake sends. */
  sent: Buffer
  /** Key of the frames that the initiator of the handshake receives. */
  received: Buffer
}

const HALF = 32
const NOTHING = new Uint8Array(0)

/** Begins a handshake. `prologue`: data that both sides know and that is not sent inside of the handshake. */
export function createSymmetricState(protocol: string, prologue: Uint8Array): SymmetricState {
  let hash = nameHash(protocol)
  let chain = hash
  let key = hash
  let counter = 0

  const derived = (secret: Uint8Array): [first: Buffer, second: Buffer] => {
    const bytes = Buffer.from(hkdfSync('sha256', secret, chain, '', 2 * HALF))
    return [bytes.subarray(0, HALF), bytes.subarray(HALF)]
  }

  function mixHash(data: Uint8Array) {
    hash = createHash('sha256').update(hash).update(data).digest()
  }

  mixHash(prologue)

  return {
    mixHash,
    mixKey(secret) {
      ;[chain, key] = derived(secret)
      counter = 0
    },
    encrypt(plaintext) {
      const ciphertext = sealFrame(plaintext, { key, counter: counter++, bound: hash })
      mixHash(ciphertext)
      return ciphertext
    },
    decrypt(ciphertext) {
      const plaintext = unsealFrame(ciphertext, { key, counter: counter++, bound: hash })
      mixHash(ciphertext)
      return plaintext
    },
    split() {
      const [sent, received] = derived(NOTHING)
      return { sent, received }
    },
  }
}

/**
 * Returns the first hash: the name of the protocol, filled up with zeros. Only a name that is longer than a hash is
 * hashed.
 */
function nameHash(protocol: string): Buffer {
  const name = Buffer.from(protocol)
  return name.length > HALF ? createHash('sha256').update(name).digest() : Buffer.concat([name, Buffer.alloc(HALF - name.length)])
}
