/**
 * Verifies that this device was linked by the phone that scanned its code, and signs the identity of this device.
 * The phone proves that it has the secret of the code, and signs the identity with the key of its account.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type AuthenticationCreds, type BinaryNode, encodeSignedDeviceIdentity, proto } from '@whiskeysockets/baileys'
import { isSignedBy, sign } from '../../keys/curve.ts'
import { type PairSuccess, signedIdentity } from '../../wire/pair-device.ts'

const { ADVDeviceIdentity, ADVEncryptionType, ADVSignedDeviceIdentity, ADVSignedDeviceIdentityHMAC } = proto

/**
 * First bytes of signed or authenticated data, which identify the kind of the data. A hosted account is one that its
 * business runs in the cloud.
 */
const ACCOUNT_SIGNATURE = Uint8Array.of(6, 0)
const DEVICE_SIGNATURE = Uint8Array.of(6, 1)
const HOSTED_ACCOUNT_SIGNATURE = Uint8Array.of(6, 5)
const NOTHING = new Uint8Array(0)
/** Length of the key of the account, which has no type byte. */
const KEY_BYTES = 32

export interface LinkedDevice {
  /** Changes of the credentials. */
  update: Partial<AuthenticationCreds>
  /** The answer for the network, which completes the link. It may be sent only when the changes are on disk. */
  reply: BinaryNode
}

/**
 * Returns the changes and the answer that link the device. Throws if the report does not come from the phone that
 * has the secret, or if its signature is invalid.
 */
export function linkedDevice(
  { id, identity, jid, lid, platform, businessName }: PairSuccess,
  creds: Pick<AuthenticationCreds, 'advSecretKey' | 'signedIdentityKey'>,
): LinkedDevice {
  const own = creds.signedIdentityKey
  const account = ADVSignedDeviceIdentity.decode(provenDetails(identity, Buffer.from(creds.advSecretKey, 'base64')))
  const { details, accountSignatureKey, accountSignature } = account
  if (!details || accountSignatureKey?.length !== KEY_BYTES || !accountSignature)
    throw new Error('the identity of the linked device is incomplete')
  const { deviceType, keyIndex } = ADVDeviceIdentity.decode(details)
  const prefix = deviceType === ADVEncryptionType.HOSTED ? HOSTED_ACCOUNT_SIGNATURE : ACCOUNT_SIGNATURE
  if (!isSignedBy(accountSignatureKey, Buffer.concat([prefix, details, own.public]), accountSignature))
    throw new Error('the identity of the linked device is not signed by its account')
  account.deviceSignature = sign(own.private, Buffer.concat([DEVICE_SIGNATURE, details, own.public, accountSignatureKey]))

  return {
    update: {
      account,
      me: { id: jid, ...(businessName === undefined ? {} : { name: businessName }), ...(lid === undefined ? {} : { lid }) },
      platform,
    },
    reply: signedIdentity(id, keyIndex ?? 0, encodeSignedDeviceIdentity(account, false)),
  }
}

/** Returns the details of the container. Throws if they were not authenticated with the secret of the code. */
function provenDetails(container: Uint8Array, secret: Uint8Array): Uint8Array {
  const { details, hmac, accountType } = ADVSignedDeviceIdentityHMAC.decode(container)
  const prefix = accountType === ADVEncryptionType.HOSTED ? HOSTED_ACCOUNT_SIGNATURE : NOTHING
  const expected = createHmac('sha256', secret)
    .update(prefix)
    .update(details ?? NOTHING)
    .digest()
  if (!details || hmac?.length !== expected.length || !timingSafeEqual(hmac, expected))
    throw new Error('the identity of the linked device was not created with the secret of its code')
  return details
}
