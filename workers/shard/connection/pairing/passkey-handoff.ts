/**
 * Continues a pairing with a passkey, after the phone has accepted its code. The code contained a secret. A key is derived from this secret, and
 * proves to the phone that this is the device whose code it accepted.
 */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { rotateSecret } from '../../network/companion-refresh.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { handoffKey, handoffProof } from './passkey-keys.ts'

/**
 * Time in ms after the network's request for the passkey, in which the phone accepts the proof. The proof shows that this is the device whose code
 * the phone accepted.
 */
const PROOF_LIFE = 5 * MINUTE

export type PasskeyHandoff = ReturnType<typeof createPasskeyHandoff>

/** Creates the handoff. `clock` must not step. */
export function createPasskeyHandoff(sock: Pick<NetworkSocket, 'authState' | 'ev'>, clock: Clock) {
  const { creds } = sock.authState
  let handoff: { key: Buffer; since: number } | null = null
  /** The new secret, which this ceremony has put into the credentials. */
  let ownSecret: string | null = null

  function forget() {
    handoff?.key.fill(0)
    handoff = null
  }

  return {
    get hasBegun() {
      return ownSecret !== null
    },
    /**
     * Derives the key from the secret that the phone knows, and replaces this secret in the credentials. The new secret is sent to the phone at the
     * end of the ceremony. A repeated call changes nothing, because the phone does not know the new secret yet.
     */
    begin() {
      if (creds.advSecretKey === ownSecret) return
      forget()
      handoff = { key: handoffKey(Buffer.from(creds.advSecretKey, 'base64')), since: clock.now() }
      rotateSecret(sock)
      ownSecret = creds.advSecretKey
    },
    proofOf(payload: Uint8Array): Buffer | null {
      const isFresh = handoff !== null && clock.now() - handoff.since <= PROOF_LIFE
      return handoff && isFresh ? handoffProof(handoff.key, payload) : null
    },
    /** Removes the key. A proof is valid for one assertion, so later attempts have no proof. */
    forget,
  }
}
