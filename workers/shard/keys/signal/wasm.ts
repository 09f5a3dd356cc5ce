import type { KeyPair } from '@whiskeysockets/baileys'
import { generateSignalPubKey } from '@whiskeysockets/baileys'
import { ProtocolAddress } from 'whatsapp-rust-bridge'
import type { Address } from './address/address-book.ts'

interface Freeable {
  free(): void
}

/** Runs `work`, and then frees the module's objects. Freeing an object during a pending call would end the process. */
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

/** Returns the pair as the module needs it: the public key with its type byte, 33 bytes. */
export const typedPair = (pair: KeyPair): { pubKey: Uint8Array; privKey: Uint8Array } => ({
  pubKey: generateSignalPubKey(pair.public),
  privKey: pair.private,
})
