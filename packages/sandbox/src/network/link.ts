import { randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import { hmac, verify } from '../wire/keys.ts'
import { child, childBytes, node, randomId, readBigEndian, SERVER_JID, seconds } from '../wire/node.ts'
import { forgetPairing } from './code-pairings.ts'
import { failure, streamError } from './connection.ts'
import { notifyDevices } from './devices.ts'
import type { Companion, Connection, Network, Person } from './model.ts'
import { lidJidOf, pnOf } from './people.ts'

/** First bytes of the data that the account signs. */
const ACCOUNT_SIGNATURE = Buffer.from([6, 0])
const DEVICE_SIGNATURE = Buffer.from([6, 1])

/** Countries by the prefixes of the numbers in examples. A number with another prefix is treated as American. */
const COUNTRIES = { '55': 'BR', '49': 'DE', '44': 'GB', '351': 'PT', '34': 'ES', '91': 'IN', '1': 'US' } as const

function jurisdictionOf(number: string): { iso: string; cc: string } {
  const [cc, iso] = Object.entries(COUNTRIES).find(([code]) => number.startsWith(code)) ?? ['1', 'US']
  return { iso, cc }
}

/** Links the device, as its phone does when both sides share a secret. */
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
  if (result.attrs.type === 'error')
    throw new ControlError('conflict', `the device refused the pairing: ${child(result, 'error')?.attrs.text}`)
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

/**
 * Makes the client connect again after the linking. If the control API has set a fault for `pairing`, this fault
 * happens instead.
 */
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
  // The HMAC is still valid, so only a client that verifies the signature notices this change.
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
