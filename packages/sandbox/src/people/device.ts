/**
 * The Signal part of one simulated device: all key operations of a phone. It uses the JavaScript `libsignal`. The
 * gateway uses another implementation (WebAssembly), so a mistake in one of them is noticed. Addresses are strings
 * `<account>.<device>`, where `<account>` is the account's number. There is one session per pair of devices, whether a
 * stanza is addressed by number (PN) or by LID.
 */
export interface SignalDevice {
  readonly registrationId: number
  /** Public identity key of Curve25519: 32 bytes, without the 0x05 prefix. */
  readonly identity: Uint8Array
  /**
   * Returns the bundle of keys for a new session. If `take` is true, it contains a one-time key, which is then removed
   * from the stock. Public keys have 32 bytes.
   */
  bundle(take: boolean): SignalBundle
  hasSession(address: string): boolean
  openSession(address: string, bundle: SignalBundle): Promise<void>
  /** Deletes every session with this address. It causes the fault of a lost session. */
  dropSession(address: string): void
  encrypt(address: string, plaintext: Uint8Array): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Uint8Array }>
  /** Decrypts a message. Throws if that is not possible. */
  decrypt(address: string, type: 'pkmsg' | 'msg', ciphertext: Uint8Array): Promise<Uint8Array>
  /**
   * Returns the bytes of the SenderKeyDistributionMessage for this device's own key of the group. The key is created at
   * the first call.
   */
  senderKey(group: string): Promise<Uint8Array>
  /**
   * Drops the device's own key of a group, so that the next `senderKey` creates a new one. This is needed after a
   * member has left, who must not be able to read later messages.
   */
  dropSenderKey(group: string): void
  encryptGroup(group: string, plaintext: Uint8Array): Promise<Uint8Array>
  acceptSenderKey(group: string, author: string, distribution: Uint8Array): Promise<void>
  decryptGroup(group: string, author: string, ciphertext: Uint8Array): Promise<Uint8Array>
  /** Creates a new signed pre-key. Messages for the two keys before it can still be decrypted. */
  rotateSignedPreKey(): void
  /** Creates another identity, and deletes all sessions and keys of the earlier one. */
  renew(): void
  /** Signs with the identity key, by XEdDSA. The account's signature at a pairing is made this way. */
  sign(message: Uint8Array): Uint8Array
  /**
   * Computes the X25519 agreement between the identity key and a public key of 32 bytes. It is used for the pairing
   * code.
   */
  agree(publicKey: Uint8Array): Uint8Array
  /** Returns all data from which the device can be restored, as JSON. Bytes are base64. */
  save(): unknown
}

export interface SignalBundle {
  registrationId: number
  identity: Uint8Array
  signedPreKey: { id: number; publicKey: Uint8Array; signature: Uint8Array }
  preKey?: { id: number; publicKey: Uint8Array }
}
