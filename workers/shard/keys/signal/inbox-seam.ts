/**
 * Interface of the inbox for the Signal repository. `admit` returns the plaintext to use without decrypting (an empty message if it was already
 * processed, the journalled plaintext if it was decrypted but not processed), or undefined to decrypt.
 */
import type { KeyChange } from '../key-store.ts'

export interface Inbox {
  /**
   * Called before the lock is taken and again under it. Returns the plaintext of this ciphertext if it was decrypted before, undefined to decrypt it.
   * Throws 'session closed' when its socket has ended.
   */
  admit(ciphertext: Uint8Array): Uint8Array | undefined
  /**
   * Called under the lock, after decryption and before the plaintext is returned. It writes `changes` together with everything that the decrypted
   * part completes, and publishes them to the key store: when they are on disk (`KeyStore.applied`), or immediately for later decryptions
   * (`KeyStore.follow`). Throws if they cannot be written; the plaintext must then not be returned.
   */
  opened(part: { ciphertext: Uint8Array; plaintext: Uint8Array; changes: readonly KeyChange[] }): Promise<void>
}
