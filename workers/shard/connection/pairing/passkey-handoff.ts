/**
 * Continues a pairing with a passkey after the phone has accepted its code. A key that is derived from the secret in
 * the code proves to the phone that this is the same device.
 */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { rotateSecret } from '../../network/companion-refresh.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { handoffKey, handoffProof } from './passkey-keys.ts'

/** Time in ms after the network's request, in which the phone accepts the proof. */
const PROOF_LIFE = 5 * MINUTE

export type PasskeyHandoff = ReturnType<typeof createPasskeyHandoff>

export function createPasskeyHandoff(sock: Pick<NetworkSocket, 'authState' | 'ev'>, clock: Clock) {
  const { creds } = sock.authState
  let handoff: { key: Buffer; since: number } | null = null
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
     * Derives the key from the secret in the code, and replaces this secret in the credentials. A repeated call changes
     * nothing, unless the secret was replaced by other code since.
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
    forget,
  }
}
