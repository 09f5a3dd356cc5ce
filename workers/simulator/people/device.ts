/**
 * The Signal side of one simulated device: all key operations of a phone. It is implemented with the JavaScript
 * `libsignal`, deliberately another implementation than the gateway's (WebAssembly), so that the two do not have the
 * same mistakes. Addresses are canonical strings
 * `<account>.<device>`, where `<account>` is the account's number: one session per pair of devices, regardless of the addressing (PN or LID) of a stanza.
 */
export interface SignalDevice {
  readonly registrationId: number
  /** 32-byte curve25519 identity, without the 0x05 prefix. */
  readonly identity: Uint8Array
  /**
   * Returns the bundle for a new session; if `take` is true, one one-time key is removed from the stock. Public keys
   * are 32 bytes.
   */
  bundle(take: boolean): SignalBundle
  hasSession(address: string): boolean
  openSession(address: string, bundle: SignalBundle): Promise<void>
  /** Deletes every session with this address, for the fault of a lost session. */
  dropSession(address: string): void
  encrypt(address: string, plaintext: Uint8Array): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Uint8Array }>
  /** Decrypts a message. Throws if it cannot be decrypted. */
  decrypt(address: string, type: 'pkmsg' | 'msg', ciphertext: Uint8Array): Promise<Uint8Array>
  /** Returns the SenderKeyDistributionMessage bytes of this device's own key of the group, created at the first call. */
  senderKey(group: string): Promise<Uint8Array>
  /**
   * Drops the device's key of a group, so that the next `senderKey` creates a fresh one: a member left and must not
   * read later messages.
   */
  dropSenderKey(group: string): void
  encryptGroup(group: string, plaintext: Uint8Array): Promise<Uint8Array>
  acceptSenderKey(group: string, author: string, distribution: Uint8Array): Promise<void>
  decryptGroup(group: string, author: string, ciphertext: Uint8Array): Promise<Uint8Array>
  /** Creates a fresh signed pre-key; messages for the two before can still be decrypted. */
  rotateSignedPreKey(): void
  /** Creates another identity, and deletes all sessions and keys of the former one. */
  renew(): void
  /** Signs with the identity key by XEdDSA (account signature at pairing). */
  sign(message: Uint8Array): Uint8Array
  /** Computes X25519 between the identity key and a 32-byte public key (pairing code). */
  agree(publicKey: Uint8Array): Uint8Array
  /** Returns everything that is needed to restore the device, as JSON data (bytes as base64). */
  save(): unknown
}

export interface SignalBundle {
  registrationId: number
  identity: Uint8Array
  signedPreKey: { id: number; publicKey: Uint8Array; signature: Uint8Array }
  preKey?: { id: number; publicKey: Uint8Array }
}
