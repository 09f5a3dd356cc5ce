/**
 * The inbox as the Signal repository uses it. `admit` returns the plaintext to hand out without decrypting (an empty message if it was finished
 * before, the journalled plaintext if it is opened but not finished), or undefined to decrypt.
 */
import type { KeyChange } from '../key-store.ts'

export interface Inbox {
  /**
   * Before the lock is taken and again under it. Returns the plaintext of this very ciphertext when it was opened before, undefined to
   * decrypt it. Throws 'session closed' when the socket it came from has ended.
   */
  admit(ciphertext: Uint8Array): Uint8Array | undefined
  /**
   * Under the lock, after the crypto, before the plaintext leaves: has `changes` written together with what the opened part finishes, and
   * publishes them to the key store, when they are on disk (`KeyStore.applied`) or at once, for what is opened behind them
   * (`KeyStore.follow`). Throws when they cannot be written; the plaintext must not leave then.
   */
  opened(part: { ciphertext: Uint8Array; plaintext: Uint8Array; changes: readonly KeyChange[] }): Promise<void>
}
