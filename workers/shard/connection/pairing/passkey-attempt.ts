/** One attempt to link with a passkey. Each attempt creates new keys. */
import { randomBytes } from 'node:crypto'
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import { newKeyPair } from '../../keys/curve.ts'
import { DEVICE_TYPE } from '../../network/device.ts'
import {
  companionIdentity,
  KEY_BYTES,
  type PrimaryIdentity,
  pairingRequest,
  prologuePayload,
  sealedRequest,
} from '../../wire/passkey.ts'
import { commitmentTo, confirmationCode, encryptionKey, sealedWith } from './passkey-keys.ts'

export interface PasskeyAttempt {
  readonly payload: Uint8Array
  readonly nonce: Uint8Array
  /** Agrees on a secret with the phone. Throws if the phone's key makes this secret zero. */
  agree(primary: PrimaryIdentity): Agreement
  forget(): void
}

export interface Agreement {
  readonly code: string
  seal(creds: AuthenticationCreds): Uint8Array
}

const IV_BYTES = 12

export function createPasskeyAttempt(ref: string): PasskeyAttempt {
  const pair = newKeyPair()
  const nonce = randomBytes(KEY_BYTES)
  const identity = companionIdentity({ publicKey: pair.public, deviceType: DEVICE_TYPE, ref })
  const secrets: Uint8Array[] = [pair.private, nonce]
  return {
    payload: prologuePayload(identity, commitmentTo(nonce, identity)),
    nonce,
    agree(primary) {
      const key = encryptionKey(pair.private, primary, { deviceType: DEVICE_TYPE, ref })
      secrets.push(key)
      return {
        code: confirmationCode(nonce, primary),
        seal({ noiseKey, signedIdentityKey, advSecretKey }) {
          const iv = randomBytes(IV_BYTES)
          const request = pairingRequest({
            companionPublicKey: noiseKey.public,
            companionIdentityKey: signedIdentityKey.public,
            advSecret: Buffer.from(advSecretKey, 'base64'),
          })
          return sealedRequest(sealedWith(key, iv, request), iv)
        },
      }
    },
    forget() {
      for (const secret of secrets) secret.fill(0)
    },
  }
}
