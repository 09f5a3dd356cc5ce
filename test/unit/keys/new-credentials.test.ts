import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthenticationCreds, generateSignalPubKey, initAuthCreds } from '@whiskeysockets/baileys'
import { isSignedBy } from '../../../workers/shard/keys/curve.ts'
import { newCredentials } from '../../../workers/shard/keys/new-credentials.ts'

/** Returns the fields of the credentials. Each random value is replaced by its type or its length. */
const shapeOf = ({ registrationId, advSecretKey, ...creds }: AuthenticationCreds): unknown => ({
  registrationId: typeof registrationId,
  advSecretKey: advSecretKey.length,
  ...JSON.parse(JSON.stringify(creds), (_, value) => (value?.type === 'Buffer' ? value.data.length : value)),
})

test('new credentials have the fields of those of the library, and the signature of their pre-key is valid', () => {
  const creds = newCredentials()
  assert.deepEqual(shapeOf(creds), shapeOf(initAuthCreds()))
  assert.deepEqual(Object.keys(creds).sort(), Object.keys(initAuthCreds()).sort())
  const { keyPair, signature } = creds.signedPreKey
  assert.ok(isSignedBy(creds.signedIdentityKey.public, generateSignalPubKey(keyPair.public), signature))
})
