/** Helpers for the WebAssembly module: they free its objects, and convert our keys to the form that it needs. */
import type { KeyPair } from '@whiskeysockets/baileys'
import { generateSignalPubKey } from '@whiskeysockets/baileys'
import { ProtocolAddress } from 'whatsapp-rust-bridge'
import type { Address } from './address/address-book.ts'

interface Freeable {
  free(): void
}

/**
 * Runs `work`, and frees the module's objects that it created. The objects live in the module's linear memory, which never shrinks, and the finalizer
 * runs too late. They are freed only after the promise of `work` has settled: freeing an object with a pending call is a use after free that ends the
 * process.
 */
export async function withObjects<T>(work: (own: <O extends Freeable>(object: O) => O) => Promise<T>): Promise<T> {
  const owned: Freeable[] = []
  try {
    return await work((object) => {
      owned.push(object)
      return object
    })
  } finally {
    for (const object of owned.reverse()) object.free()
  }
}

export const protocolAddress = ({ name, device }: Address) => new ProtocolAddress(name, device)

/** Converts a key pair: the module needs public keys with their type byte, 33 bytes. */
export const typedPair = (pair: KeyPair): { pubKey: Uint8Array; privKey: Uint8Array } => ({
  pubKey: generateSignalPubKey(pair.public),
  privKey: pair.private,
})
