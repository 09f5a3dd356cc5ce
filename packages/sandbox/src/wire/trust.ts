import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { generateKeyPair, type KeyPair, restoreKeyPair, type SavedKeyPair, saveKeyPair, sign, verify } from './keys.ts'

const { CertChain } = proto
const { Details } = CertChain.NoiseCertificate

const INTERMEDIATE_SERIAL = 1
const LEAF_SERIAL = 2
/** Serial number of the root, which the intermediate certificate gives for its issuer. */
export const ROOT_SERIAL = 0
/** Time for which a certificate of this network is valid, in seconds: ten years. */
const VALIDITY = 10 * 365 * 86_400
/**
 * Number of seconds by which a client's clock may be late. A certificate becomes valid this long before it is made, so
 * that such a client accepts it.
 */
const GRACE = 86_400

export interface Trust {
  /** The public key of 32 bytes that clients must trust. */
  readonly root: Buffer
  /** Key pair whose public key is in a valid leaf certificate. */
  readonly serverKey: KeyPair
  /**
   * Returns the certificate chain. With `root`, it is signed by an untrusted root. With `leaf`, it is valid, but for
   * another static key.
   */
  chain(forged?: 'root' | 'leaf'): Uint8Array
  save(): SavedTrust
}

export interface SavedTrust {
  root: SavedKeyPair
  server: SavedKeyPair
}

function certify(serial: number, issuerSerial: number, key: Buffer, issuer: KeyPair, now: number) {
  const details = Details.encode({ serial, issuerSerial, key, notBefore: now - GRACE, notAfter: now + VALIDITY }).finish()
  return { details, signature: sign(issuer, details) }
}

function makeChain(root: KeyPair, leafKey: Buffer): Uint8Array {
  const now = Math.floor(Date.now() / 1000)
  const middle = generateKeyPair()
  const intermediate = certify(INTERMEDIATE_SERIAL, ROOT_SERIAL, middle.publicKey, root, now)
  const leaf = certify(LEAF_SERIAL, INTERMEDIATE_SERIAL, leafKey, middle, now)
  return CertChain.encode({ intermediate, leaf }).finish()
}

export function createTrust(saved?: SavedTrust): Trust {
  const root = saved ? restoreKeyPair(saved.root) : generateKeyPair()
  const serverKey = saved ? restoreKeyPair(saved.server) : generateKeyPair()
  const honest = makeChain(root, serverKey.publicKey)
  const fault = findChainFault(honest, root.publicKey, serverKey.publicKey, Math.floor(Date.now() / 1000))
  if (fault) throw new Error(`the certificate chain is not valid: ${fault}`)
  return {
    root: root.publicKey,
    serverKey,
    chain(forged) {
      if (forged === 'root') return makeChain(generateKeyPair(), serverKey.publicKey)
      if (forged === 'leaf') return makeChain(root, generateKeyPair().publicKey)
      return honest
    },
    save: () => ({ root: saveKeyPair(root), server: saveKeyPair(serverKey) }),
  }
}

/** Returns a fault in the chain that a strict client would find. Undefined if there is none. */
export function findChainFault(chain: Uint8Array, root: Uint8Array, staticKey: Uint8Array, now: number): string | undefined {
  const { leaf, intermediate } = CertChain.decode(chain)
  if (!leaf?.details || !leaf.signature || !intermediate?.details || !intermediate.signature) return 'a part is missing'
  const middle = Details.decode(intermediate.details)
  const end = Details.decode(leaf.details)
  if (!middle.key || !end.key) return 'a key is missing'
  if (!verify(root, intermediate.details, intermediate.signature)) return 'the intermediate is not signed by the root'
  if (!verify(middle.key, leaf.details, leaf.signature)) return 'the leaf is not signed by the intermediate'
  if (middle.issuerSerial !== ROOT_SERIAL) return 'the intermediate names another issuer than the root'
  if (end.issuerSerial !== middle.serial) return 'the leaf names another issuer than the intermediate'
  for (const { notBefore, notAfter } of [middle, end]) {
    if (Number(notBefore) > now || Number(notAfter) < now) return 'a certificate is not valid today'
  }
  return Buffer.from(end.key).equals(staticKey) ? undefined : 'the leaf is of another static key'
}
