/**
 * Obtains the key that decrypts received frames. The library does not expose it (Utils/noise-handler.js), but it is derived from the three key
 * agreements of the handshake, which our functions make (`curve.ts`). `processHandshake` makes these agreements in one turn. The first two are of our
 * ephemeral key with the server's ephemeral key and with its static key. The third, after the certificate is verified, is of our long-term key with
 * the server's ephemeral key.
 */
import { hkdfSync } from 'node:crypto'
import { NOISE_MODE } from '@whiskeysockets/baileys'

interface Agreement {
  privateKey: Uint8Array
  publicKey: Uint8Array
  secret: Uint8Array
}

/** The two key agreements before the current one. */
let earlier: readonly Agreement[] = []
/** Callbacks that wait for a key, by the private part of the connection's long-term key. */
const awaited = new WeakMap<Uint8Array, (key: Buffer) => void>()

/**
 * Waits for the key. `onKey` is called when a handshake with this private key has finished. Returns a function that
 * cancels the wait.
 */
export function awaitReadKey(privateKey: Uint8Array, onKey: (key: Buffer) => void): () => void {
  awaited.set(privateKey, onKey)
  return () => {
    if (awaited.get(privateKey) === onKey) awaited.delete(privateKey)
  }
}

export function agreed(agreement: Agreement): void {
  const onKey = awaited.get(agreement.privateKey)
  const [first, second] = earlier
  const isThird =
    first !== undefined &&
    first.privateKey === second?.privateKey &&
    first.publicKey === agreement.publicKey &&
    onKey !== undefined
  earlier = isThird ? [] : [...earlier.slice(-1), agreement]
  if (isThird) onKey(readKeyOf([first.secret, second!.secret, agreement.secret]))
}

/**
 * Derives the key that decrypts received frames. The first salt is the name of the Noise protocol, which is used unhashed because it has the length
 * of a hash.
 */
const readKeyOf = (secrets: readonly Uint8Array[]): Buffer =>
  mixed(
    new Uint8Array(0),
    secrets.reduce((salt: Buffer, secret) => mixed(secret, salt).subarray(0, HALF), Buffer.from(NOISE_MODE)),
  ).subarray(HALF)

const HALF = 32
const mixed = (secret: Uint8Array, salt: Uint8Array): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, '', 2 * HALF))
