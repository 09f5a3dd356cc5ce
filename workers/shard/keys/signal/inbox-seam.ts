/**
 * What the Signal repository asks of the inbox. `admit` answers with the plaintext to hand out without decrypting (an empty message for
 * what was finished before, the journalled plaintext for what is opened but not finished), or undefined to decrypt.
 */
import type { KeyChange } from '../key-store.ts'

export interface Inbox {
  /**
   * Before the lock is taken and again under it. Returns the plaintext of this very ciphertext when it was opened before, undefined to
   * decrypt it. Throws 'session closed' when the socket it came from has ended.
   */
  admit(ciphertext: Uint8Array): Uint8Array | undefined
  /**
   * Under the lock, after the crypto, before the plaintext leaves: makes `changes` durable together with what the opened part finishes,
   * and publishes them to the key store's cache (`KeyStore.applied`). Throws when the commit failed; the plaintext must not leave then.
   */
  opened(part: { ciphertext: Uint8Array; plaintext: Uint8Array; changes: readonly KeyChange[] }): Promise<void>
  /**
   * After it could not be opened or taken; no changes are written. What is not a `SignalError` is a failure of ours and says nothing about
   * the message.
   */
  failed(part: { ciphertext: Uint8Array; error: Error }): void
}
