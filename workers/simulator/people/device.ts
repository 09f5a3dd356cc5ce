/**
 * One simulated device's Signal side: what a phone or a contact's phone can do with keys.
 * Implemented over the JavaScript `libsignal`, on purpose another implementation than the gateway's (WebAssembly), so that the
 * two cannot share a mistake. Addresses are canonical strings `<account>.<device>`, where `<account>` is the account's number:
 * one session per pair of devices, whatever addressing (PN or LID) a stanza used.
 */
export interface SignalDevice {
  readonly registrationId: number
  /** 32-byte curve25519 identity, without the 0x05 prefix. */
  readonly identity: Uint8Array
  /** Bundle for a new session; takes one one-time key out when `take` is true. Public keys are 32 bytes. */
  bundle(take: boolean): SignalBundle
  hasSession(address: string): boolean
  openSession(address: string, bundle: SignalBundle): Promise<void>
  /** Forget every session with this address: a "lost session" fault. */
  dropSession(address: string): void
  encrypt(address: string, plaintext: Uint8Array): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Uint8Array }>
  /** Throws when it cannot be read. */
  decrypt(address: string, type: 'pkmsg' | 'msg', ciphertext: Uint8Array): Promise<Uint8Array>
  /** The SenderKeyDistributionMessage bytes of this device's own key of the group, made at the first call. */
  senderKey(group: string): Promise<Uint8Array>
  /** The next `senderKey` makes a fresh one: a member left and must not read on. */
  dropSenderKey(group: string): void
  encryptGroup(group: string, plaintext: Uint8Array): Promise<Uint8Array>
  acceptSenderKey(group: string, author: string, distribution: Uint8Array): Promise<void>
  decryptGroup(group: string, author: string, ciphertext: Uint8Array): Promise<Uint8Array>
  /** A fresh signed pre-key; what was sealed for the two before can still be opened. */
  rotateSignedPreKey(): void
  /** Another identity, with nothing of the former one left. */
  renew(): void
  /** XEdDSA signature with the identity key (account signature at pairing). */
  sign(message: Uint8Array): Uint8Array
  /** X25519 between the identity key and a 32-byte public key (pairing code). */
  agree(publicKey: Uint8Array): Uint8Array
  /** Everything needed to restore it, as JSON data (bytes as base64). */
  save(): unknown
}

export interface SignalBundle {
  registrationId: number
  identity: Uint8Array
  signedPreKey: { id: number; publicKey: Uint8Array; signature: Uint8Array }
  preKey?: { id: number; publicKey: Uint8Array }
}
