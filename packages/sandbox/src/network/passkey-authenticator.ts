import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { ControlError } from '../control/control-error.ts'
import type { Assertion } from '../control/passkeys.ts'
import type { PublicJwk, SignInput } from '../control/schemas/passkeys.ts'
import { FLAGS, RP_ID, sha256 } from './passkey-assertion.ts'
import type { Passkey } from './passkey-model.ts'

const ORIGIN = 'https://web.whatsapp.com'
const SYNCED = FLAGS.present | FLAGS.verified | FLAGS.backupEligible | FLAGS.backedUp

export function newPasskeyPair(): Pick<Passkey, 'publicJwk' | 'privateKey'> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    publicJwk: publicKey.export({ format: 'jwk' }) as unknown as PublicJwk,
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
  }
}

export function signWithPasskey(passkey: Passkey, input: SignInput): Assertion {
  const { public_key: options, origin = ORIGIN, flags = SYNCED, spoil } = input
  if (!passkey.privateKey) throw new ControlError('conflict', 'only the public key of this passkey is known here')
  const key = createPrivateKey({ key: passkey.privateKey, format: 'der', type: 'pkcs8' })
  const clientData = {
    type: spoil === 'type' ? 'webauthn.create' : 'webauthn.get',
    challenge: spoil === 'challenge' ? randomBytes(32).toString('base64url') : options.challenge,
    origin,
    crossOrigin: false,
  }
  const clientDataJSON = Buffer.from(JSON.stringify(clientData))
  const rpId = spoil === 'rp_id' ? 'example.com' : (options.rpId ?? RP_ID)
  const authenticatorData = Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags, 0, 0, 0, 0])])
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), { key, dsaEncoding: 'der' })
  if (spoil === 'signature') signature[signature.length - 1]! ^= 1
  const id = (spoil === 'credential' ? randomBytes(20) : passkey.credentialId).toString('base64url')
  const userHandle = spoil === 'user_handle' ? randomBytes(16) : passkey.userHandle
  return {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientDataJSON.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle ? { userHandle: userHandle.toString('base64url') } : {}),
    },
  }
}
