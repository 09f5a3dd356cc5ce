import { randomBytes, randomInt } from 'node:crypto'
import { type AuthenticationCreds, generateSignalPubKey } from '@whiskeysockets/baileys'
import { newKeyPair, sign } from './curve.ts'

/** Registration ids have 14 bits. */
const REGISTRATION_IDS = 2 ** 14

/**
 * Creates the credentials of a device that is not linked. Baileys' `initAuthCreds` blocks the thread for 8 ms, because
 * its signatures are made in JavaScript.
 */
export function newCredentials(): AuthenticationCreds {
  const signedIdentityKey = newKeyPair()
  const preKey = newKeyPair()
  return {
    noiseKey: newKeyPair(),
    pairingEphemeralKeyPair: newKeyPair(),
    signedIdentityKey,
    signedPreKey: {
      keyPair: preKey,
      signature: sign(signedIdentityKey.private, generateSignalPubKey(preKey.public)),
      keyId: 1,
    },
    registrationId: randomInt(REGISTRATION_IDS),
    advSecretKey: randomBytes(32).toString('base64'),
    processedHistoryMessages: [],
    nextPreKeyId: 1,
    firstUnuploadedPreKeyId: 1,
    accountSyncCounter: 0,
    accountSettings: { unarchiveChats: false },
    registered: false,
    pairingCode: undefined,
    lastPropHash: undefined,
    routingInfo: undefined,
    additionalData: undefined,
  }
}
