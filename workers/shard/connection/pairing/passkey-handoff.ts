/**
 * Hands a pairing over from the code that the phone accepted to a passkey: a key is derived from the secret in that
 * code, by which the phone recognizes this device.
 */
import type { WASocket } from '@whiskeysockets/baileys'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { rotateSecret } from '../../baileys/companion-refresh.ts'
import { handoffKey, handoffProof } from './passkey-keys.ts'

/** The phone accepts the proof that we are the device whose code it accepted only for this long after the network's request. */
const PROOF_LIFE = 5 * MINUTE

export type PasskeyHandoff = ReturnType<typeof createPasskeyHandoff>

/** Creates the handoff. `clock` must not step. */
export function createPasskeyHandoff(sock: Pick<WASocket, 'authState' | 'ev'>, clock: Clock) {
  const { creds } = sock.authState
  let handoff: { key: Buffer; since: number } | null = null
  /** Secret that this ceremony has put into the credentials. */
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
     * Derives the key and replaces the secret; the new one is sent to the phone at the end. A repeated request changes nothing, because the phone does
     * not know the new secret yet.
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
    /** A proof is valid for one assertion; later attempts have none. */
    forget,
  }
}
