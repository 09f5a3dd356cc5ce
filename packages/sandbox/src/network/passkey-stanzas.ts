import { randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { PasskeyBends } from '../control/schemas/passkeys.ts'
import { type BinaryNode, node, randomId, SERVER_JID, seconds } from '../wire/node.ts'
import type { Ceremony } from './model.ts'
import { RP_ID } from './passkey-assertion.ts'

export const CHALLENGE_SECONDS = 600
const KEY = 32
const NONCE = 32

const notification = (type: string, content: BinaryNode[], from = SERVER_JID) =>
  node('notification', { from, type, id: randomId(), t: seconds() }, content)

export function requestPrologue(ceremony: Ceremony) {
  const { bend } = ceremony.passkey
  const options = bend.options === 'query' ? [] : [node('passkey_request_options', {}, requestOptions(ceremony, bend.options))]
  ceremony.connection.send(notification('passkey_prologue_request', options))
  if (bend.continuation === 'unasked') sendUnaskedIdentity(ceremony)
}

/** Returns WebAuthn options with a new challenge, which replaces the previous one. */
export function requestOptions(ceremony: Ceremony, bend?: 'not_json' | 'no_challenge'): Buffer {
  if (bend === 'not_json') return Buffer.from('{"challenge":')
  const value = randomBytes(32)
  ceremony.challenge = { value, issuedAt: Date.now(), isUsed: false }
  const options = {
    ...(bend === 'no_challenge' ? {} : { challenge: value.toString('base64url') }),
    timeout: CHALLENGE_SECONDS * 1000,
    rpId: RP_ID,
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
  }
  return Buffer.from(JSON.stringify(options))
}

/** Sends an identity that the device has not asked for. It has random keys. */
export const sendUnaskedIdentity = ({ connection }: Ceremony) => connection.send(continuation(foreignIdentity()))

/** Sends the phone's identity. After this stanza, the companion device may send its nonce. */
export function sendIdentity(ceremony: Ceremony, identity: Uint8Array) {
  const { network, connection, passkey, prologues } = ceremony
  const { continuation: bend, continuation_delay_ms: delayMs } = passkey.bend
  const stanzas = bent(bend, identity)
  const send = () => {
    if (stanzas.length === 0 || ceremony.stage === 'discarded') return
    if (ceremony.stage === 'deciding' && ceremony.prologues === prologues) {
      ceremony.awaits = 'nonce'
      ceremony.stage = 'awaiting_nonce'
    }
    for (const stanza of stanzas) connection.send(stanza, bend === 'other_tag' || bend === 'other_sender')
  }
  if (delayMs === undefined) send()
  else network.later(delayMs, send)
}

const IDENTITY = 'primary_ephemeral_identity'

const continuation = (identity: Uint8Array, { tag = IDENTITY, from = SERVER_JID } = {}) =>
  notification('crsc_continuation', [node(tag, {}, identity)], from)

export const identityOf = (publicKey: Uint8Array, nonce: Uint8Array): Uint8Array =>
  proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce }).finish()

const foreignIdentity = () => identityOf(randomBytes(KEY), randomBytes(NONCE))

/** Returns the stanzas with the phone's identity, with the deviation that the control API has set. */
function bent(bend: PasskeyBends['continuation'], identity: Uint8Array): BinaryNode[] {
  if (bend === 'none') return []
  if (bend === 'twice') return [continuation(identity), continuation(foreignIdentity())]
  if (bend === 'foreign') return [continuation(foreignIdentity())]
  if (bend === 'not_protobuf') return [continuation(Buffer.from([0x0a, 0xff]))]
  if (bend === 'other_tag') return [continuation(identity, { tag: 'other_identity' })]
  if (bend === 'other_sender') return [continuation(identity, { from: '15550000000@s.whatsapp.net' })]
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(identity)
  if (!publicKey || !nonce) return [continuation(identity)]
  if (bend === 'short_key') return [continuation(identityOf(publicKey.subarray(1), nonce))]
  if (bend === 'short_nonce') return [continuation(identityOf(publicKey, nonce.subarray(1)))]
  if (bend === 'zero_key') return [continuation(identityOf(new Uint8Array(KEY), nonce))]
  return [continuation(identity)]
}
