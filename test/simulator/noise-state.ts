import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

/**
 * The client's side of the Noise protocol, with the cryptography of Node. It shares no code with the simulator or the
 * library, so it finds errors in either of them.
 */

const SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
/** First bytes of a connection: `WA`, the version of the protocol, and the version of its dictionary. */
export const INTRO = Buffer.from([0x57, 0x41, 6, 3])

export const rawOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(SPKI.length)
export const publicOf = (bytes: Uint8Array) => createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })

export interface Pair {
  privateKey: KeyObject
  publicKey: KeyObject
}

export const newPair = (): Pair => generateKeyPairSync('x25519')

/** Returns the key pair of a private key, `secret`, which has 32 bytes. */
export function pairOf(secret: Uint8Array): Pair {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

export const agree = ({ privateKey }: Pair, theirs: Uint8Array) => diffieHellman({ privateKey, publicKey: publicOf(theirs) })

export function symmetric(protocol: string) {
  const name = Buffer.from(protocol)
  let hash: Buffer =
    name.length > 32 ? createHash('sha256').update(name).digest() : Buffer.concat([name, Buffer.alloc(32 - name.length)])
  let chain = hash
  let key = hash
  let n = 0
  const mix = (data: Uint8Array) => {
    hash = createHash('sha256').update(hash).update(data).digest()
  }
  mix(INTRO)
  return {
    mix,
    mixKey(secret: Buffer) {
      const out = Buffer.from(hkdfSync('sha256', secret, chain, '', 64))
      chain = out.subarray(0, 32)
      key = out.subarray(32)
      n = 0
    },
    encrypt(data: Uint8Array) {
      const sealed = seal(key, n++, data, hash)
      mix(sealed)
      return sealed
    },
    decrypt(data: Uint8Array) {
      const opened = open(key, n++, Buffer.from(data), hash)
      mix(data)
      return opened
    },
    /**
     * Returns the two keys that encrypt the connection. The first one encrypts what the client sends, and the second
     * one what the server sends.
     */
    split: () => Buffer.from(hkdfSync('sha256', Buffer.alloc(0), chain, '', 64)),
  }
}

function ivOf(counter: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(counter, 8)
  return bytes
}

export function seal(key: Buffer, counter: number, data: Uint8Array, aad: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, ivOf(counter)).setAAD(aad)
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])
}

export function open(key: Buffer, counter: number, data: Buffer, aad: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, ivOf(counter)).setAAD(aad).setAuthTag(data.subarray(-16))
  return Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()])
}
