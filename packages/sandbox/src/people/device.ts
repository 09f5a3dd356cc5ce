/**
 * The Signal part of one simulated device. It uses the JavaScript `libsignal`. The gateway uses another implementation,
 * so a mistake in one of the two is noticed. Each pair of devices has one session, no matter whether a stanza is
 * addressed by number or by LID.
 */
export interface SignalDevice {
  readonly registrationId: number
  readonly identity: Uint8Array
  /**
   * Returns the keys that a sender needs to open a session. If `take` is true, they include a one-time key, which is
   * then removed. Public keys have 32 bytes.
   */
  bundle(take: boolean): SignalBundle
  hasSession(address: string): boolean
  openSession(address: string, bundle: SignalBundle): Promise<void>
  dropSession(address: string): void
  encrypt(address: string, plaintext: Uint8Array): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Uint8Array }>
  /** Decrypts a message. Throws if that is not possible. */
  decrypt(address: string, type: 'pkmsg' | 'msg', ciphertext: Uint8Array): Promise<Uint8Array>
  /**
   * Returns the SenderKeyDistributionMessage of this device's own key for the group. The first call creates the key.
   */
  senderKey(group: string): Promise<Uint8Array>
  /**
   * Removes the own key of the group, so that `senderKey` creates a new one. A member who has left does not get the new
   * key.
   */
  dropSenderKey(group: string): void
  encryptGroup(group: string, plaintext: Uint8Array): Promise<Uint8Array>
  acceptSenderKey(group: string, author: string, distribution: Uint8Array): Promise<void>
  decryptGroup(group: string, author: string, ciphertext: Uint8Array): Promise<Uint8Array>
  /** Replaces the signed pre-key. Messages for the two previous ones can still be decrypted. */
  rotateSignedPreKey(): void
  /** Creates another identity, and deletes all sessions and keys. */
  renew(): void
  sign(message: Uint8Array): Uint8Array
  /** Computes X25519 of the identity key and a public key of 32 bytes, for the pairing code. */
  agree(publicKey: Uint8Array): Uint8Array
  /** Returns JSON with bytes in base64. The device can be restored from it. */
  save(): unknown
}

export interface SignalBundle {
  registrationId: number
  identity: Uint8Array
  signedPreKey: { id: number; publicKey: Uint8Array; signature: Uint8Array }
  preKey?: { id: number; publicKey: Uint8Array }
}
