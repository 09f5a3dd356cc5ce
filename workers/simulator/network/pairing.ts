import { randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import type { CodeAction } from '../control/network-control.ts'
import { hmac, verify } from '../wire/keys.ts'
import { child, childBytes, node, randomId, readBigEndian, SERVER_JID, seconds } from '../wire/node.ts'
import type { ClientHandshake } from '../wire/noise.ts'
import { forgetCodePairing } from './code-pairings.ts'
import { failure, streamError } from './connection.ts'
import { notifyDevices } from './devices.ts'
import type { Companion, Connection, Network, Person } from './model.ts'
import { lidJidOf, pnOf } from './people.ts'

/** References per code: the client shows the first for 60 s, each later one for 20 s, and gives up after the last. */
const REFS = 6
/** Marks what is signed: the account's signature over a device, and the device's answer. */
const ACCOUNT_SIGNATURE = Buffer.from([6, 0])
const DEVICE_SIGNATURE = Buffer.from([6, 1])

/** A client without account: shows it references to make codes of. */
export function offerPairing(network: Network, connection: Connection, client: ClientHandshake) {
  connection.registration = client
  sendRefs(network, connection)
}

function sendRefs(network: Network, connection: Connection) {
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(66).toString('base64')}`)
  for (const ref of refs) network.refs.set(ref, connection)
  const content = refs.map((ref) => node('ref', {}, ref))
  connection.send(node('iq', { from: SERVER_JID, type: 'set', id: randomId(), xmlns: 'md' }, [node('pair-device', {}, content)]))
}

/** Removes the codes of a connection that ends. */
export function forgetPairing(network: Network, connection: Connection) {
  for (const [ref, owner] of network.refs) if (owner === connection) network.refs.delete(ref)
  forgetCodePairing(connection)
}

/** The server asks the client that shows this code for a fresh one: the secret in it is retired, no phone takes it any more. */
export function refreshCompanionReg(network: Network, qr: string) {
  const { connection, advSecret } = shownBy(network, qr)
  network.retiredSecrets.add(advSecret.toString('base64'))
  connection.send(notification('companion_reg_refresh'))
}

export function actOnCode(network: Network, qr: string, action: CodeAction) {
  if (action === 'refresh') return refreshCompanionReg(network, qr)
  const { connection } = shownBy(network, qr)
  if (action === 'passkey') return connection.send(notification('passkey_prologue_request'))
  if (action === 'cut') return connection.cut()
  if ('stream_error' in action) return connection.end(streamError(action.stream_error))
  connection.end(failure(action.failure, { code: action.code, expire: action.expire }))
}

const notification = (type: string) => node('notification', { from: SERVER_JID, type, id: randomId(), t: seconds() })

function shownBy(network: Network, qr: string): { connection: Connection; advSecret: Buffer } {
  const { ref, advSecret } = parseQr(qr)
  const connection = network.refs.get(ref)
  if (!connection) throw new ControlError('conflict', 'nobody shows this code')
  return { connection, advSecret }
}

/** Country codes of the numbers that examples use; others count as American. */
const COUNTRIES = { '55': 'BR', '49': 'DE', '44': 'GB', '351': 'PT', '34': 'ES', '91': 'IN', '1': 'US' } as const

function jurisdictionOf(number: string): { iso: string; cc: string } {
  const [cc, iso] = Object.entries(COUNTRIES).find(([code]) => number.startsWith(code)) ?? ['1', 'US']
  return { iso, cc }
}

interface ScannedCode {
  ref: string
  noiseKey: Buffer
  identity: Buffer
  advSecret: Buffer
}

/** `https://wa.me/settings/linked_devices#ref,noise,identity,adv secret,platform`, or only what follows the `#`. */
function parseQr(text: string): ScannedCode {
  const [ref, noise, identity, secret] = text.slice(text.indexOf('#') + 1).split(',')
  if (!ref || !noise || !identity || !secret) throw new ControlError('invalid_request', 'this is not a pairing code')
  const bytes = (part: string) => Buffer.from(part, 'base64')
  return { ref, noiseKey: bytes(noise), identity: bytes(identity), advSecret: bytes(secret) }
}

export async function scan(network: Network, phone: Person, qr: string): Promise<{ device: number }> {
  const code = parseQr(qr)
  const connection = network.refs.get(code.ref)
  const client = connection?.registration
  if (!connection || !client) throw new ControlError('conflict', 'the code has expired')
  const pairing = client.payload.devicePairingData
  if (!client.staticKey.equals(code.noiseKey) || !Buffer.from(pairing?.eIdent ?? []).equals(code.identity)) {
    throw new ControlError('conflict', 'the keys in the code are not those of the device that shows it')
  }
  if (network.retiredSecrets.has(code.advSecret.toString('base64'))) {
    throw new ControlError('conflict', 'the secret in the code was retired by companion_reg_refresh')
  }
  return link(network, phone, connection, code.advSecret)
}

/** The phone's computation, which the server relays, once both sides share a secret. */
export async function link(
  network: Network,
  phone: Person,
  connection: Connection,
  advSecret: Uint8Array,
): Promise<{ device: number }> {
  const client = connection.registration
  const data = client?.payload.devicePairingData
  if (!client || !data?.eIdent || !data.eRegid || !data.eSkeyId || !data.eSkeyVal || !data.eSkeySig) {
    throw new ControlError('conflict', 'the device did not say what is needed to link it')
  }
  forgetPairing(network, connection)
  const identity = Buffer.from(data.eIdent)
  const device = phone.nextDevice++
  const details = proto.ADVDeviceIdentity.encode({
    rawId: readBigEndian(randomBytes(4)),
    timestamp: seconds(),
    keyIndex: device,
  }).finish()
  const id = randomId()
  const container = signDevice(network, phone, details, identity, advSecret)
  const answer = connection.expect(id)
  connection.send(
    node('iq', { from: SERVER_JID, type: 'set', id, t: seconds(), xmlns: 'md' }, [
      node('pair-success', {}, [
        node('device-identity', {}, container),
        node('device', { jid: pnOf(phone, device), lid: lidJidOf(phone, device) }),
        node('platform', { name: phone.platform }),
        node('jurisdiction', jurisdictionOf(phone.number)),
        ...(phone.business ? [node('biz', { name: phone.verifiedName ?? phone.name })] : []),
      ]),
    ]),
  )
  const result = await answer.catch((error: unknown) => {
    throw new ControlError('conflict', `the device did not accept the pairing: ${String(error)}`)
  })
  const signed = childBytes(child(result, 'pair-device-sign'), 'device-identity')
  if (!signed || !isSignedByDevice(phone, signed, identity)) {
    connection.end(streamError(401))
    throw new ControlError('conflict', 'the signature of the device is not valid')
  }
  const props = proto.DeviceProps.decode(data.deviceProps ?? new Uint8Array())
  const companion: Companion = {
    person: phone,
    device,
    address: `${phone.number}.${device}`,
    noiseKey: client.staticKey,
    identity,
    registrationId: readBigEndian(data.eRegid),
    signedPreKey: {
      id: readBigEndian(data.eSkeyId),
      publicKey: Buffer.from(data.eSkeyVal),
      signature: Buffer.from(data.eSkeySig),
    },
    preKeys: new Map(),
    deviceIdentity: signed,
    keyIndex: device,
    os: props.os ?? '',
    platformType: props.platformType ?? 0,
    wantsFullHistory: props.requireFullSync === true,
    isBootstrapped: false,
    pending: new Map(),
    nacksToIgnore: new Set(),
    isAvailable: false,
    connection: undefined,
  }
  phone.companions.set(device, companion)
  notifyDevices(network, phone, 'add', device)
  network.changed()
  restart(network, connection, phone)
  return { device }
}

/** Makes the device connect again, now as itself; or runs the action of a rule for `pairing` instead. */
function restart(network: Network, connection: Connection, phone: Person) {
  const action = network.faults.take('pairing', { phone: phone.number })
  if (action === 'drop') return
  if (action === 'cut') return connection.cut()
  if (typeof action === 'object' && 'failure' in action)
    return connection.end(failure(action.failure, { code: action.code, expire: action.expire }))
  if (typeof action === 'object' && 'stream_error' in action) return connection.end(streamError(action.stream_error))
  connection.end(streamError(515))
}

function signDevice(network: Network, phone: Person, details: Uint8Array, identity: Buffer, advSecret: Uint8Array): Uint8Array {
  const signal = phone.devices[0]!.signal
  const accountSignature = Buffer.from(signal.sign(Buffer.concat([ACCOUNT_SIGNATURE, details, identity])))
  // the HMAC still fits: only who checks the signature itself notices
  if (network.forged.delete('account_signature')) accountSignature[5] = (accountSignature[5] ?? 0) ^ 0xff
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: signal.identity,
    accountSignature,
  }).finish()
  return proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac: hmac(advSecret, signed) }).finish()
}

function isSignedByDevice(phone: Person, signed: Buffer, identity: Buffer): boolean {
  const { details, deviceSignature } = proto.ADVSignedDeviceIdentity.decode(signed)
  if (!details || !deviceSignature) return false
  const message = Buffer.concat([DEVICE_SIGNATURE, details, identity, phone.devices[0]!.signal.identity])
  return verify(identity, message, deviceSignature)
}
