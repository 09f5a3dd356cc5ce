import { createPublicKey, randomBytes } from 'node:crypto'
import { ControlError } from '../control/control-error.ts'
import type { PasskeyControl, PasskeyView } from '../control/passkeys.ts'
import type { PasskeyInput, PublicJwk } from '../control/schemas/passkeys.ts'
import type { Ceremony, Network, Person } from './model.ts'
import { refreshNotification } from './pairing.ts'
import { newPasskeyPair, signWithPasskey } from './passkey-authenticator.ts'
import { describeCeremony, isOver } from './passkey-ceremony.ts'
import { linkWith } from './passkey-link.ts'
import type { Passkey } from './passkey-model.ts'
import { readRelayed } from './passkey-relay.ts'
import { requestPrologue, sendIdentity, sendUnaskedIdentity } from './passkey-stanzas.ts'

const CREDENTIAL_ID = 20
const USER_HANDLE = 16
const ADV_SECRET = 32

const createPasskey = (): Passkey => ({
  credentialId: randomBytes(CREDENTIAL_ID),
  userHandle: randomBytes(USER_HANDLE),
  ...newPasskeyPair(),
  app: 'front',
  answers: 'yes',
  limit: false,
  playedBy: 'simulator',
  bend: {},
})

function change(passkey: Passkey, input: PasskeyInput) {
  const { credential_id, user_handle, public_jwk } = input
  if (credential_id !== undefined) passkey.credentialId = Buffer.from(credential_id, 'base64url')
  if (user_handle !== undefined) passkey.userHandle = Buffer.from(user_handle, 'base64url')
  if (public_jwk !== undefined) Object.assign(passkey, { publicJwk: onCurve(public_jwk), privateKey: undefined })
  passkey.app = input.app ?? passkey.app
  passkey.answers = input.answers ?? passkey.answers
  passkey.limit = input.limit ?? passkey.limit
  passkey.playedBy = input.played_by ?? passkey.playedBy
  passkey.bend = input.bend ?? passkey.bend
}

function onCurve(jwk: PublicJwk): PublicJwk {
  try {
    createPublicKey({ key: { ...jwk }, format: 'jwk' })
    return jwk
  } catch (error) {
    throw new ControlError('invalid_request', `public_jwk: ${error instanceof Error ? error.message : error}`)
  }
}

function describe({ passkey, ceremony }: Person): PasskeyView {
  if (!passkey) throw new ControlError('not_found', 'this phone demands no passkey')
  return {
    credential_id: passkey.credentialId.toString('base64url'),
    user_handle: passkey.userHandle?.toString('base64url') ?? null,
    public_jwk: passkey.publicJwk,
    private_key: passkey.privateKey?.toString('base64') ?? null,
    app: passkey.app,
    answers: passkey.answers,
    limit: passkey.limit,
    played_by: passkey.playedBy,
    bend: passkey.bend,
    ceremony: ceremony ? describeCeremony(ceremony) : null,
  }
}

function passkeyOf({ passkey }: Person): Passkey {
  if (!passkey) throw new ControlError('not_found', 'this phone demands no passkey')
  return passkey
}

function ceremonyOf({ ceremony }: Person): Ceremony {
  if (!ceremony) throw new ControlError('conflict', 'this phone has not accepted a code since its passkey was set')
  return ceremony
}

function runningCeremony(phone: Person): Ceremony {
  const ceremony = ceremonyOf(phone)
  if (isOver(ceremony) && !ceremony.connection.isOpen) throw new ControlError('conflict', 'the connection has ended')
  return ceremony
}

/** Returns the current linking of a phone for which a program acts. Throws if the simulator acts for this phone. */
function relayedCeremony(phone: Person): Ceremony {
  if (passkeyOf(phone).playedBy !== 'program') throw new ControlError('conflict', 'the simulator plays this phone')
  return runningCeremony(phone)
}

export function createPasskeyControl(network: Network, findPhone: (phone: string) => Person): PasskeyControl {
  return {
    set(number, input) {
      const phone = findPhone(number)
      phone.passkey ??= createPasskey()
      const wasInFront = phone.passkey.app === 'front'
      change(phone.passkey, input)
      if (wasInFront && phone.passkey.app === 'back') phone.ceremony?.primary.leave?.()
      network.changed()
      return describe(phone)
    },
    read: (number) => describe(findPhone(number)),
    remove(number) {
      const phone = findPhone(number)
      passkeyOf(phone)
      phone.passkey = undefined
      network.changed()
    },
    sign: (number, input) => ({ assertion: signWithPasskey(passkeyOf(findPhone(number)), input) }),
    accept(number, { yes, code }) {
      const phone = findPhone(number)
      if (!ceremonyOf(phone).primary.answer?.(yes, code)) throw new ControlError('conflict', 'the phone asks its owner nothing')
      return describe(phone)
    },
    say(number, what) {
      const phone = findPhone(number)
      const ceremony = runningCeremony(phone)
      if (what === 'request') requestPrologue(ceremony)
      else if (what === 'refresh') ceremony.connection.send(refreshNotification())
      else sendUnaskedIdentity(ceremony)
      return describe(phone)
    },
    async relayed(number, after, waitMs) {
      const phone = findPhone(number)
      return { items: phone.ceremony ? await readRelayed(phone.ceremony, after, waitMs) : [] }
    },
    relay(number, input) {
      const phone = findPhone(number)
      const ceremony = relayedCeremony(phone)
      if ('adv_secret' in input) linkWith(ceremony, secretOf(input.adv_secret))
      else sendIdentity(ceremony, Buffer.from(input.primary_ephemeral_identity, 'base64'))
      return describe(phone)
    },
  }
}

function secretOf(text: string): Buffer {
  const secret = Buffer.from(text, 'base64')
  if (secret.length !== ADV_SECRET)
    throw new ControlError('invalid_request', `adv_secret: needs ${ADV_SECRET} bytes, not ${secret.length}`)
  return secret
}
